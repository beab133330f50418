#include "tensor/ops/door.h"
#include "tensor/ops/input_feeding/unrolled.h"

namespace dragoman::input_feeding {
namespace {

using kernels::Dropout;
using kernels::Kernels;

template <class T>
void step_layer(const Kernels<T>& k, const Unrolled& u, Size t, std::size_t which) {
  const UnrolledLayer& layer = u.layers[which];
  const Size m = u.layout.active[t], row = u.layout.first[t], before = u.layout.before(t), after = u.layout.after(t);
  kernels::LstmStep<T> step{.cell = {.rows = m,
                                     .hidden = u.layout.hidden,
                                     .gates = row_of<T>(layer.gates, row),
                                     .c_before = row_of<T>(layer.c, before),
                                     .h = row_of<T>(layer.h, after),
                                     .c = row_of<T>(layer.c, after)}};
  step.terms = {
      which == 0 ? term_of<T>(m, u.fed, before, u.weights.fed) : term_of<T>(m, layer.input, row, layer.given.input),
      independent(term_of<T>(m, layer.h, before, layer.given.recurrent))};
  if (which > 0) step.bias = layer.given.bias.ptr();
  if (which + 1 < u.layers.size() && u.layers[which + 1].dropout[t].rate > 0) {
    step.dropout = u.layers[which + 1].dropout[t];
    step.dropped = row_of<T>(u.layers[which + 1].input, row);
  }
  k.lstm_step(step);
}

// fed = dropout(tanh(W [h; context] + b)).
template <class T>
void step_output(const Kernels<T>& k, const Unrolled& u, Size t) {
  const Size m = u.layout.active[t], row = u.layout.first[t];
  k.tanh_step({.rows = m,
               .out = u.layout.hidden,
               .terms = {independent(term_of<T>(m, u.top().h, u.layout.after(t), u.weights.state)),
                         term_of<T>(m, u.context, row, u.weights.context)},
               .bias = u.weights.bias.ptr(),
               .y = row_of<T>(u.out, row),
               .dropout = u.dropout[t],
               .dropped = u.drops() ? row_of<T>(u.fed, u.layout.after(t)) : nullptr});
}

template <class T>
void step(const Kernels<T>& k, const Unrolled& u, Size t) {
  for (std::size_t i = 0; i < u.layers.size(); ++i) step_layer(k, u, t, i);
  k.attention(u.attention_of_step<T>(t));
  step_output(k, u, t);
}

// An array of states that starts with a copy of `first`.
Tensor states_after(const Context& cx, const StepLayout& layout, const Tensor& first) {
  const Tensor states = cx.empty(first.dtype(), {layout.sentences + layout.rows, layout.hidden});
  cx.copy(first, states.row_view(0, layout.sentences));
  return states;
}

std::span<Dropout> dropouts(Context& cx, const StepLayout& layout, double rate) {
  const std::span<Dropout> list = cx.host_array<Dropout>(layout.steps());
  for (Dropout& one : list) one = cx.next_dropout(rate);
  return list;
}

void check_shapes(const char* op, const StepLayout& layout, const Tensor& gates, std::span<const Layer> layers,
                  const Weights& weights, const Source& source) {
  const Size d = layout.hidden;
  const auto expect = [op](const char* what, const Tensor& tensor, const Shape& shape) {
    check(tensor.shape() == shape, "[{}] {} {} do not fit: expected {}", op, what, tensor.shape(), shape);
  };
  expect("gates", gates, {layout.rows, 4 * d});
  expect("weights of the fed output", weights.fed, {4 * d, d});
  expect("weights of the state", weights.state, {d, d});
  expect("keys", source.keys, {source.rows.total(), d});
  check(weights.context.rows() == d && weights.context.cols() <= source.values.cols(),
        "[{}] weights {} do not fit values {}", op, weights.context.shape(), source.values.shape());
  check(source.rows.count() == layout.sentences && layout.active[0] == layout.sentences,
        "[{}] got {} sources and words for {} of {} sentences", op, source.rows.count(), layout.active[0],
        layout.sentences);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    expect("recurrent weights", layers[i].recurrent, {4 * d, d});
    if (i > 0) expect("weights of a layer", layers[i].input, {4 * d, d});
    expect("first states", layers[i].first.h, {layout.sentences, d});
    expect("first states", layers[i].first.c, {layout.sentences, d});
  }
}

bool any_tracked(const Tensor& gates, std::span<const Layer> layers, const Weights& weights, const Source& source) {
  bool any =
      ops::any_tracked({gates, weights.fed, weights.state, weights.context, weights.bias, source.keys, source.values});
  for (const Layer& layer : layers)
    any |= ops::any_tracked({layer.input, layer.bias, layer.recurrent, layer.first.h, layer.first.c});
  return any;
}

// Allocates everything that the steps write and fills in the initial states. Dropout is drawn in a fixed order: for the
// output, then for each layer.
Unrolled allocate(Context& cx, const StepLayout& layout, const Tensor& word_gates, const Tensor& fed,
                  std::span<const Layer> layers, const Weights& weights, const Source& source,
                  const DropoutRates& dropout) {
  const DType type = word_gates.dtype();
  Unrolled u{.layout = layout,
             .weights = weights,
             .source = source,
             .layers = cx.host_array<UnrolledLayer>(std::ssize(layers))};
  u.fed = states_after(cx, layout, fed);
  u.dropout = dropouts(cx, layout, dropout.out);
  u.out = u.drops() ? cx.empty(type, {layout.rows, layout.hidden}) : u.fed.row_view(layout.sentences, layout.rows);
  u.context = cx.empty(type, {layout.rows, source.values.cols()});
  u.log_sum = cx.empty(stat_of(type), {layout.rows, 1});
  for (std::size_t i = 0; i < layers.size(); ++i) {
    UnrolledLayer& layer = u.layers[i] = {.given = layers[i]};
    layer.gates = i == 0 ? word_gates : cx.empty(type, word_gates.shape());
    layer.h = states_after(cx, layout, layers[i].first.h);
    layer.c = states_after(cx, layout, layers[i].first.c);
    layer.dropout = dropouts(cx, layout, i == 0 ? 0 : dropout.between);
    if (i == 0) continue;
    const bool drops = layer.dropout[0].rate > 0;
    layer.input = drops ? cx.empty(type, {layout.rows, layout.hidden})
                        : u.layers[i - 1].h.row_view(layout.sentences, layout.rows);
  }
  return u;
}

}  // namespace

Result unroll(Context& cx, const Tensor& word_gates, const Tensor& fed, std::span<const Layer> layers,
              const Weights& weights, const Source& source, const TimeOrder& time, const DropoutRates& dropout) {
  constexpr const char* op = "input_feeding";
  ops::enter(op, cx,
             {word_gates, fed, weights.fed, weights.state, weights.context, weights.bias, source.keys, source.values});
  for (const Layer& layer : layers)
    ops::enter(op, cx, {layer.input, layer.bias, layer.recurrent, layer.first.h, layer.first.c});
  const StepLayout layout(cx, time, fed.cols());
  check_shapes(op, layout, word_gates, layers, weights, source);
  check(!fed.tracked(), "[{}] no gradient flows to the input of the first step", op);
  const Unrolled u = allocate(cx, layout, word_gates, fed, layers, weights, source, dropout);
  cx.run(word_gates.dtype(), [&](const auto& k) {
    for (Size t = 0; t < layout.steps(); ++t) step(k, u, t);
  });
  Result output{u.fed.row_view(layout.sentences, layout.rows), u.context, u.fed, {}};
  for (const UnrolledLayer& layer : u.layers) output.states.push_back({layer.h, layer.c});
  ops::leave(op, cx, {output.fed, output.context});
  if (!cx.recording() || !any_tracked(word_gates, layers, weights, source)) return output;
  output.fed = cx.track(output.fed);
  output.context = cx.track(output.context);
  cx.record(op, {output.fed, output.context}, [u, fed = output.fed, context = output.context](Context& back) {
    unroll_backward(back, u, back.gradient(fed), back.sink(context));
  });
  return output;
}

}  // namespace dragoman::input_feeding
