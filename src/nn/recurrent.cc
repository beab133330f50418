#include "nn/recurrent.h"

#include <cmath>

namespace dragoman::nn {
namespace {

std::int32_t row_of(const Segments& rows, Size sentence, Size step, bool reverse) {
  return static_cast<std::int32_t>(reverse ? rows.begin(sentence) + rows.length(sentence) - 1 - step
                                           : rows.begin(sentence) + step);
}

// Calls f(sentence, step, place) for every row in time-major order.
template <class F>
void for_each_row(const TimeOrder& time, F&& f) {
  Size place = 0;
  for (Size t = 0; t < std::ssize(time.active); ++t)
    for (Size i = 0; i < time.active[t]; ++i) f(time.host_order[i], t, place++);
}

// The first `count` rows; the tensor itself if it has no more.
Tensor first_rows(Context& cx, const Tensor& x, Size count) {
  return x.rows() == count ? x : slice_rows(cx, x, 0, count);
}

}  // namespace

Tensor step_rows(const Context& cx, const Segments& rows, const TimeOrder& time, Size step, bool reverse) {
  const Size active = time.active[step];
  const std::span<std::int32_t> list = cx.host_array<std::int32_t>(active);
  for (Size i = 0; i < active; ++i) list[i] = row_of(rows, time.host_order[i], step, reverse);
  return cx.from_host<std::int32_t>(list, {active});
}

Tensor steps_from_packed(const Context& cx, const Segments& rows, const TimeOrder& time) {
  const std::span<std::int32_t> list = cx.host_array<std::int32_t>(rows.total());
  for_each_row(time, [&](Size sentence, Size step, Size place) { list[place] = row_of(rows, sentence, step, false); });
  return cx.from_host<std::int32_t>(list, {rows.total()});
}

Tensor packed_from_steps(const Context& cx, const Segments& rows, const TimeOrder& time, bool reverse) {
  const std::span<std::int32_t> list = cx.host_array<std::int32_t>(rows.total());
  for_each_row(time, [&](Size sentence, Size step, Size place) {
    list[row_of(rows, sentence, step, reverse)] = static_cast<std::int32_t>(place);
  });
  return cx.from_host<std::int32_t>(list, {rows.total()});
}

Tensor places_in_time(const Context& cx, const TimeOrder& time) {
  const std::span<std::int32_t> list = cx.host_array<std::int32_t>(std::ssize(time.host_order));
  for (std::size_t i = 0; i < list.size(); ++i) list[time.host_order[i]] = static_cast<std::int32_t>(i);
  return cx.from_host<std::int32_t>(list, {std::ssize(list)});
}

Tensor last_from_steps(const Context& cx, const Segments& rows, const TimeOrder& time, Size before) {
  const std::span<std::int32_t> list = cx.host_array<std::int32_t>(rows.count());
  for (Size s = 0; s < rows.count(); ++s)
    check(rows.length(s) > 0, "[recurrent] sentence {} has no rows, but every step needs one", s);
  for_each_row(time,
               [&](Size sentence, Size, Size place) { list[sentence] = static_cast<std::int32_t>(before + place); });
  return cx.from_host<std::int32_t>(list, {rows.count()});
}

RecurrentLayer::RecurrentLayer(Parameters& list, const std::string& name, const std::string& suffix, Cell cell, Size in,
                               Size hidden)
    : cell_(cell), hidden_(hidden) {
  const Size gates = (cell == Cell::lstm ? 4 : 3) * hidden;
  const Init init = Init::uniform(1 / std::sqrt(static_cast<double>(hidden)));
  const auto parameter = [&](const char* what, Shape shape) {
    return list.add(name + "." + what + suffix, shape, init);
  };
  input_ = Linear(parameter("weight_ih", {gates, in}), parameter("bias_ih", {gates}));
  const Parameter weight = parameter("weight_hh", {gates, hidden});
  recurrent_ = Linear(weight, cell == Cell::gru ? parameter("bias_hh", {gates}) : Parameter());
}

RecurrentLayer::Output RecurrentLayer::run(Context& cx, const Tensor& x, const Segments& rows, const TimeOrder& time,
                                           const CellState& first, bool reverse) const {
  if (cell_ == Cell::gru) return run_gru(cx, x, rows, time, first, reverse);
  const LstmOutput out = lstm_layer(cx, lstm_input(cx, x, first, reverse), rows, time);
  return {out.h, {out.last.h, out.last.c}};
}

LstmInput RecurrentLayer::lstm_input(Context& cx, const Tensor& x, const CellState& first, bool reverse) const {
  return {input_(cx, x), recurrent_.weight(), {first.h, first.c}, reverse};
}

std::pair<RecurrentLayer::Output, RecurrentLayer::Output> RecurrentLayer::run_both(
    Context& cx, const RecurrentLayer& there, const RecurrentLayer& back, const Tensor& x, const Segments& rows,
    const TimeOrder& time, const std::pair<CellState, CellState>& first) {
  if (there.cell_ == Cell::gru) {
    const Output one = there.run(cx, x, rows, time, first.first, false);
    return {one, back.run(cx, x, rows, time, first.second, true)};
  }
  const LstmInput one = there.lstm_input(cx, x, first.first, false);
  const LstmInput other = back.lstm_input(cx, x, first.second, true);
  const auto [a, b] = lstm_layers(cx, one, other, rows, time);
  return {{a.h, {a.last.h, a.last.c}}, {b.h, {b.last.h, b.last.c}}};
}

RecurrentLayer::Output RecurrentLayer::run_gru(Context& cx, const Tensor& x, const Segments& rows,
                                               const TimeOrder& time, const CellState& first, bool reverse) const {
  const Tensor x_gates = input_(cx, x);
  Tensor h = first.defined() ? gather_rows(cx, first.h, time.order) : cx.zeros(x.dtype(), {rows.count(), hidden_});
  std::vector<Tensor> steps;
  for (Size t = 0; t < std::ssize(time.active); ++t) {
    const Tensor before = first_rows(cx, h, time.active[t]);
    h = gru_cell(cx, gather_rows(cx, x_gates, step_rows(cx, rows, time, t, reverse)), recurrent_(cx, before), before);
    steps.push_back(h);
  }
  const Tensor all = concat_rows(cx, steps);
  return {gather_rows(cx, all, packed_from_steps(cx, rows, time, reverse)),
          {gather_rows(cx, all, last_from_steps(cx, rows, time)), {}}};
}

CellState RecurrentLayer::step(Context& cx, const Tensor& x, const CellState& before) const {
  if (cell_ == Cell::gru) return {gru_cell(cx, input_(cx, x), recurrent_(cx, before.h), before.h), {}};
  const LstmState after = lstm_cell(cx, add(cx, input_(cx, x), recurrent_(cx, before.h)), before.c);
  return {after.h, after.c};
}

}  // namespace dragoman::nn
