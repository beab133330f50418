#pragma once

#include "base/options.h"
#include "nn/layers.h"

namespace dragoman::nn {

enum class Cell { lstm, gru };

// The state of one layer, [B, hidden] each; a GRU has no c.
struct CellState {
  Tensor h, c;
  bool defined() const { return h.defined(); }
};

// One recurrent layer in one direction. Weights are named as in PyTorch (weight_ih, weight_hh), with gates in the order
// i, f, g, o or r, z, n. An LSTM has one bias; a GRU has two, since the reset gate multiplies one of them.
class RecurrentLayer {
 public:
  RecurrentLayer() = default;
  RecurrentLayer(Parameters& list, const std::string& name, const std::string& suffix, Cell cell, Size in, Size hidden);

  struct Output {
    Tensor h;        // [N, hidden]
    CellState last;  // [sentences, hidden]
  };
  // Runs over all rows of every sentence, starting from the state `first` (zeros if undefined).
  Output run(Context& cx, const Tensor& x, const Segments& rows, const TimeOrder& time, const CellState& first,
             bool reverse = false) const;
  // The two directions of a bidirectional layer: `there` runs forward and `back` in reverse. Both have the same cell
  // and size.
  static std::pair<Output, Output> run_both(Context& cx, const RecurrentLayer& there, const RecurrentLayer& back,
                                            const Tensor& x, const Segments& rows, const TimeOrder& time,
                                            const std::pair<CellState, CellState>& first);
  // One step for [B, in].
  CellState step(Context& cx, const Tensor& x, const CellState& before) const;

  const Linear& input() const { return input_; }
  const Tensor& recurrent_weight() const { return recurrent_.weight(); }
  Size hidden() const { return hidden_; }

 private:
  LstmInput lstm_input(Context& cx, const Tensor& x, const CellState& first, bool reverse) const;
  Output run_gru(Context& cx, const Tensor& x, const Segments& rows, const TimeOrder& time, const CellState& first,
                 bool reverse) const;

  Cell cell_ = Cell::lstm;
  Size hidden_ = 0;
  Linear input_, recurrent_;
};

// The functions below are index tables between packed rows (sentence after sentence) and time-major rows (step after
// step, the sentences of a step in time order).

// The packed rows of step t: i32, one for each of the first active[t] sentences of the time order. In reverse, step t
// takes the t-th row from the end.
Tensor step_rows(const Context& cx, const Segments& rows, const TimeOrder& time, Size step, bool reverse = false);
// The same for all steps, one after the other: i32 [N].
Tensor steps_from_packed(const Context& cx, const Segments& rows, const TimeOrder& time);
// The time-major row of each packed row: i32 [N].
Tensor packed_from_steps(const Context& cx, const Segments& rows, const TimeOrder& time, bool reverse = false);
// The index of each sentence in the time order: i32 [sentences].
Tensor places_in_time(const Context& cx, const TimeOrder& time);
// The time-major row of each sentence's last word, plus `before`: i32 [sentences]. Every sentence must have a row.
Tensor last_from_steps(const Context& cx, const Segments& rows, const TimeOrder& time, Size before = 0);

}  // namespace dragoman::nn

namespace dragoman {
template <>
struct EnumNames<nn::Cell> {
  static constexpr std::pair<nn::Cell, const char*> list[] = {{nn::Cell::lstm, "lstm"}, {nn::Cell::gru, "gru"}};
};
}  // namespace dragoman
