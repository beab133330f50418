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

// One recurrent layer in one direction: weights named as in PyTorch (weight_ih, weight_hh; gates in the order
// i, f, g, o or r, z, n). An LSTM has one bias; a GRU needs two, since its reset gate stands between them.
class RecurrentLayer {
 public:
  RecurrentLayer() = default;
  RecurrentLayer(Parameters& list, const std::string& name, const std::string& suffix, Cell cell, Size in, Size hidden);

  struct Output {
    Tensor h;        // [N, hidden]
    CellState last;  // [sentences, hidden]
  };
  // Whole sentences, or as many rows of them as there are, from `first` (zeros when undefined).
  Output run(Context& cx, const Tensor& x, const Segments& rows, const TimeOrder& time, const CellState& first,
             bool reverse = false) const;
  // The same forward through one layer and in reverse through another, of the same kind and size.
  static std::pair<Output, Output> run_both(Context& cx, const RecurrentLayer& there, const RecurrentLayer& back,
                                            const Tensor& x, const Segments& rows, const TimeOrder& time,
                                            const std::pair<CellState, CellState>& first);
  // One step for [B, in].
  CellState step(Context& cx, const Tensor& x, const CellState& before) const;

  // The share that the first columns of the input have in the gates, bias included, when the others are not known yet:
  // x [N, some columns] -> [N, gates]; and the weights of those others, [gates, other columns].
  Tensor known_gates(Context& cx, const Tensor& x) const;
  Tensor other_weights(Context& cx, Size known) const;

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

// The rows that step t of a walk over packed sentences works on: i32, one for each of the first active[t] sentences
// of the time order, taken from the front or, in reverse, from the end.
Tensor step_rows(const Context& cx, const Segments& rows, const TimeOrder& time, Size step, bool reverse = false);
// The same of all steps, one after the other: i32 [N].
Tensor steps_from_packed(const Context& cx, const Segments& rows, const TimeOrder& time);
// Where each packed row went when the steps' rows were written one step after the other: i32 [N].
Tensor packed_from_steps(const Context& cx, const Segments& rows, const TimeOrder& time, bool reverse = false);
// Where each sentence stands in the time order: i32 [sentences].
Tensor places_in_time(const Context& cx, const TimeOrder& time);
// Where each sentence's last row is in that same array, behind `before` rows of something else: i32 [sentences];
// sentences without rows are an error.
Tensor last_from_steps(const Context& cx, const Segments& rows, const TimeOrder& time, Size before = 0);

}  // namespace dragoman::nn

namespace dragoman {
template <>
struct EnumNames<nn::Cell> {
  static constexpr std::pair<nn::Cell, const char*> list[] = {{nn::Cell::lstm, "lstm"}, {nn::Cell::gru, "gru"}};
};
}  // namespace dragoman
