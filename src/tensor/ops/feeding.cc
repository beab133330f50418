#include <algorithm>

#include "tensor/ops.h"
#include "tensor/ops/door.h"

// The walk is one node of the tape. Going forward a step is a kernel for each layer, one for attention and one for the
// output; going back it hands on only what the step before needs, and everything else (gradients of weights, keys and
// values) is computed for all steps at once afterwards.
namespace dragoman {
namespace {

using kernels::Dropout;
using kernels::Kernels;

// Rows of a walk lie step after step: those of step t are rows first[t] .. first[t] + active[t], in the order of the
// sentences. Arrays of states begin with `sentences` rows more: the states from before the first step.
struct Walk {
  Size sentences = 0, hidden = 0, rows = 0;
  std::span<const std::int32_t> active;
  std::span<Size> first;

  Walk(const Context& cx, const TimeOrder& time, Size width)
      : sentences(std::ssize(time.host_order)), hidden(width), active(time.active) {
    first = cx.host_array<Size>(steps());
    for (Size t = 0; t < steps(); ++t) {
      first[t] = rows;
      rows += active[t];
    }
  }
  Size steps() const { return std::ssize(active); }
  // Where the states that step t starts from, and those it makes, lie among the states.
  Size before(Size t) const { return t == 0 ? 0 : sentences + first[t - 1]; }
  Size after(Size t) const { return sentences + first[t]; }

  // For every row the state it starts from: i32 [rows].
  Tensor rows_before(const Context& cx) const {
    const std::span<std::int32_t> list = cx.host_array<std::int32_t>(rows);
    for (Size t = 0; t < steps(); ++t)
      for (Size i = 0; i < active[t]; ++i) list[first[t] + i] = static_cast<std::int32_t>(before(t) + i);
    return cx.from_host<std::int32_t>(list, {rows});
  }
  // The rows sentence after sentence, and how many each has.
  struct BySentence {
    Segments segments;
    Tensor index;
  };
  BySentence by_sentence(const Context& cx) const {
    const std::span<std::int32_t> lengths = cx.host_array<std::int32_t>(sentences);
    const std::span<std::int32_t> list = cx.host_array<std::int32_t>(rows);
    Size at = 0;
    for (Size i = 0; i < sentences; ++i) {
      Size t = 0;
      for (; t < steps() && i < active[t]; ++t) list[at++] = static_cast<std::int32_t>(first[t] + i);
      lengths[i] = static_cast<std::int32_t>(t);
    }
    return {Segments::from_lengths(cx, lengths), cx.from_host<std::int32_t>(list, {rows})};
  }
};

template <class T>
T* row_of(const Tensor& tensor, Size row) {
  return tensor.data<T>() + row * tensor.cols();
}

// `rows` rows of x from `row` on, to be multiplied by a weight: by [out, in] going forward, by [in, out] going back.
// The weight may be for the first columns of x only.
template <class T>
kernels::Term<T> term_of(Size rows, const Tensor& x, Size row, const Tensor& weight, bool back = false) {
  return {.rows = rows,
          .size = back ? weight.rows() : weight.cols(),
          .x = row_of<T>(x, row),
          .x_stride = x.cols(),
          .weight = weight.ptr()};
}
// The same of rows that an entry before the last one wrote.
template <class T>
kernels::Term<T> early(kernels::Term<T> term) {
  term.early = true;
  return term;
}

// c (+)= a W over the rows of a.
template <class T>
void multiply_back(const Kernels<T>& k, const kernels::Term<T>& a, const Tensor& weight, T* c, Size c_stride,
                   bool accumulate) {
  const kernels::Product one{.m = a.rows,
                             .n = weight.cols(),
                             .k = a.size,
                             .a_stride = a.x_stride,
                             .b_stride = weight.cols(),
                             .c_stride = c_stride};
  k.matmul({.count = 1, .products = &one, .a = a.x, .b = a.weight, .c = c, .accumulate = accumulate});
}

// A layer and what its walk leaves behind.
struct Layer {
  FeedingLayer given;
  Tensor gates{};   // [rows, 4 hidden]
  Tensor h{}, c{};  // states, [sentences + rows, hidden]
  Tensor input{};   // [rows, hidden]: what came from below; the first layer has none
  std::span<Dropout> dropout{};
};

struct Feeding {
  Walk walk;
  FeedingWeights weights;
  FeedingSource source;
  std::span<Layer> layers;
  std::span<Dropout> dropout{};
  Tensor fed{};      // states
  Tensor out{};      // [rows, hidden]: before dropout
  Tensor context{};  // [rows, size of a value]
  Tensor log_sum{};  // [rows, 1]

  bool drops() const { return dropout[0].rate > 0; }
  const Layer& top() const { return layers.back(); }

  template <class T>
  kernels::Attention<T> attention(Size queries, const Segments& keys) const {
    return {.sentences = keys.count(),
            .key_size = walk.hidden,
            .value_size = context.cols(),
            .queries = queries,
            .keys = keys.total(),
            .key_offsets = keys.offsets().ptr(),
            .longest = keys.longest(),
            .scale = source.scale,
            .k = source.keys.ptr(),
            .v = source.values.ptr(),
            .q_stride = walk.hidden,
            .k_stride = walk.hidden,
            .v_stride = context.cols(),
            .values_are_keys = source.values_are_keys};
  }
  // Of one step: every sentence that is still there asks once.
  template <class T>
  kernels::Attention<T> attention_of_step(Size t) const {
    auto a = attention<T>(walk.active[t], source.rows.first(walk.active[t]));
    a.query_offsets = source.questions.offsets().ptr();
    a.longest_queries = 1;
    a.early = true;
    a.q = row_of<T>(top().h, walk.after(t));
    a.out = row_of<T>(context, walk.first[t]);
    a.log_sum = row_of<Stat<T>>(log_sum, walk.first[t]);
    return a;
  }
  template <class T>
  using Stat = kernels::Stat<T>;

  template <class T>
  void step(const Kernels<T>& k, Size t) const;
  template <class T>
  void step_layer(const Kernels<T>& k, Size t, std::size_t which) const;
  template <class T>
  void step_output(const Kernels<T>& k, Size t) const;
};

template <class T>
void Feeding::step_layer(const Kernels<T>& k, Size t, std::size_t which) const {
  const Layer& layer = layers[which];
  const Size m = walk.active[t], row = walk.first[t], before = walk.before(t), after = walk.after(t);
  kernels::LstmStep<T> step{.cell = {.rows = m,
                                     .hidden = walk.hidden,
                                     .gates = row_of<T>(layer.gates, row),
                                     .c_before = row_of<T>(layer.c, before),
                                     .h = row_of<T>(layer.h, after),
                                     .c = row_of<T>(layer.c, after)}};
  step.terms = {
      which == 0 ? term_of<T>(m, fed, before, weights.fed) : term_of<T>(m, layer.input, row, layer.given.input),
      early(term_of<T>(m, layer.h, before, layer.given.recurrent))};
  if (which > 0) step.bias = layer.given.bias.ptr();
  if (which + 1 < layers.size() && layers[which + 1].dropout[t].rate > 0) {
    step.dropout = layers[which + 1].dropout[t];
    step.dropped = row_of<T>(layers[which + 1].input, row);
  }
  k.lstm_step(step);
}

// fed = dropout(tanh(W [h; context] + b)).
template <class T>
void Feeding::step_output(const Kernels<T>& k, Size t) const {
  const Size m = walk.active[t], row = walk.first[t];
  k.tanh_step({.rows = m,
               .out = walk.hidden,
               .terms = {early(term_of<T>(m, top().h, walk.after(t), weights.state)),
                         term_of<T>(m, context, row, weights.context)},
               .bias = weights.bias.ptr(),
               .y = row_of<T>(out, row),
               .dropout = dropout[t],
               .dropped = drops() ? row_of<T>(fed, walk.after(t)) : nullptr});
}

template <class T>
void Feeding::step(const Kernels<T>& k, Size t) const {
  for (std::size_t i = 0; i < layers.size(); ++i) step_layer(k, t, i);
  k.attention(attention_of_step<T>(t));
  step_output(k, t);
}

// What going back needs beside what the walk left: gradients of the values before each activation, of the cells as
// they are before the step that was walked back last, and of the question a step asked.
//
// A step's context gets the gradient dz W. Where nothing else reaches it and launches count for more than products, no
// step computes that: (dz W) . v = dz . (W v), so each asks the values' products with W, which are the same for all.
class FeedingBackward {
 public:
  FeedingBackward(Context& cx, const Feeding& walk, const Tensor& dfed, const Sink& dcontext)
      : cx_(cx),
        f_(walk),
        dfed_(dfed),
        dcontext_(dcontext),
        ahead_(!dcontext.accumulate && !cx.device().on_host() && walk.weights.context.cols() == walk.context.cols()) {
    if (!dcontext_.accumulate && f_.weights.context.cols() < f_.context.cols()) {
      dcontext_.tensor.clear();
      dcontext_.accumulate = true;
    }
    const DType type = f_.fed.dtype();
    const Shape states{f_.walk.sentences, f_.walk.hidden};
    dz_ = cx.empty(type, {f_.walk.rows, f_.walk.hidden});
    dquestion_ = cx.empty(type, states);
    dh_ = cx.empty(type, states);
    // The words' share of the first layer's gates has the same gradient as the gates.
    const Sink given = cx.sink(f_.layers[0].gates);
    check(!given.accumulate, "[lstm_feeding] the gates were taken over and may not be used elsewhere");
    for (const Layer& layer : f_.layers) {
      dc_.push_back(cx.zeros(type, states));
      dgates_.push_back(dgates_.empty() && given ? given.tensor : cx.empty(type, layer.gates.shape()));
    }
  }

  void run() {
    cx_.run(f_.fed.dtype(), [&](const auto& k) {
      if (ahead_) multiply_ahead(k);
      for (Size t = f_.walk.steps() - 1; t >= 0; --t) step(k, t);
      if (ahead_) context_gradient(k, 0, f_.walk.rows);
      first_states(k);
      weights(k);
      keys_and_values(k);
    });
  }

 private:
  template <class T>
  void step(const Kernels<T>& k, Size t) {
    const Size m = f_.walk.active[t], row = f_.walk.first[t], d = f_.walk.hidden;
    k.tanh_step_backward({.rows = m,
                          .out = d,
                          .terms = {from_later<T>(t, 0, f_.weights.fed), {}},
                          .y = row_of<T>(f_.out, row),
                          .dy = row_of<T>(dfed_, row),
                          .dropout = f_.dropout[t],
                          .dz = row_of<T>(dz_, row)});
    kernels::AttentionBackward<T> attention{
        .forward = f_.attention_of_step<T>(t), .dq = dquestion_.ptr(), .dq_stride = d};
    if (ahead_) {
      attention.forward.value_size = attention.forward.v_stride = d;
      attention.forward.v = values_ahead_.ptr();
      attention.forward.out = row_of<T>(context_ahead_, row);
      attention.dout = row_of<T>(dz_, row);
    } else {
      context_gradient(k, row, m);
      attention.dout = row_of<T>(dcontext_.tensor, row);
    }
    k.attention_backward(attention);
    for (std::size_t i = f_.layers.size(); i-- > 0;) step_layer(k, t, i);
  }

  // What the context's weight makes of the values and of the contexts.
  template <class T>
  void multiply_ahead(const Kernels<T>& k) {
    const Tensor& weight = f_.weights.context;
    const auto multiplied = [&](const Tensor& x) {
      const Tensor y = cx_.empty(x.dtype(), {x.rows(), weight.rows()});
      k.linear({.rows = x.rows(),
                .in = weight.cols(),
                .out = weight.rows(),
                .x = x.ptr(),
                .weight = weight.ptr(),
                .y = y.ptr()});
      return y;
    };
    values_ahead_ = multiplied(f_.source.values);
    context_ahead_ = multiplied(f_.context);
  }

  template <class T>
  void context_gradient(const Kernels<T>& k, Size row, Size rows) {
    const Tensor &weight = f_.weights.context, &to = dcontext_.tensor;
    multiply_back(k, term_of<T>(rows, dz_, row, weight, true), weight, row_of<T>(to, row), to.cols(),
                  dcontext_.accumulate);
  }

  // What a layer's gates of the next step hand back through a weight.
  template <class T>
  kernels::Term<T> from_later(Size t, std::size_t which, const Tensor& weight) {
    if (t + 1 == f_.walk.steps()) return {};
    return term_of<T>(f_.walk.active[t + 1], dgates_[which], f_.walk.first[t + 1], weight, true);
  }

  template <class T>
  void step_layer(const Kernels<T>& k, Size t, std::size_t which) {
    const Layer& layer = f_.layers[which];
    const Size m = f_.walk.active[t], row = f_.walk.first[t];
    const bool top = which + 1 == f_.layers.size();
    kernels::LstmStepBackward<T> step{.cell = {.rows = m,
                                               .hidden = f_.walk.hidden,
                                               .gates = row_of<T>(layer.gates, row),
                                               .c_before = row_of<T>(layer.c, f_.walk.before(t)),
                                               .c = row_of<T>(layer.c, f_.walk.after(t)),
                                               .dh = top ? dquestion_.data<T>() : nullptr,
                                               .dc = dc_[which].ptr(),
                                               .dgates = row_of<T>(dgates_[which], row),
                                               .dc_before = dc_[which].ptr()},
                                      .dh = dh_.ptr()};
    step.terms = {top ? early(term_of<T>(m, dz_, row, f_.weights.state, true))
                      : term_of<T>(m, dgates_[which + 1], row, f_.layers[which + 1].given.input, true),
                  early(from_later<T>(t, which, layer.given.recurrent))};
    if (!top) step.dropout = f_.layers[which + 1].dropout[t];
    k.lstm_step_backward(step);
  }

  template <class T>
  void first_states(const Kernels<T>& k) {
    const Size count = f_.walk.sentences, d = f_.walk.hidden;
    for (std::size_t i = 0; i < f_.layers.size(); ++i) {
      const FeedingLayer& given = f_.layers[i].given;
      if (const Sink sink = cx_.sink(given.first.h))
        multiply_back<T>(k, term_of<T>(count, dgates_[i], 0, given.recurrent, true), given.recurrent, sink.ptr(), d,
                         sink.accumulate);
      if (const Sink sink = cx_.sink(given.first.c))
        k.copy_block({.rows = count,
                      .cols = d,
                      .from = dc_[i].ptr(),
                      .from_stride = d,
                      .to = sink.ptr(),
                      .to_stride = d,
                      .accumulate = sink.accumulate});
    }
  }

  // dW += dy^T x, and the same for the bias.
  template <class T>
  void weight_gradient(const Kernels<T>& k, const Tensor& weight, const Tensor& bias, const Tensor& dy, const T* x) {
    if (!ops::any_tracked({weight, bias})) return;
    const ops::StatSink dweight(cx_, weight), dbias(cx_, bias);
    k.linear_backward({.rows = dy.rows(),
                       .in = weight.cols(),
                       .out = weight.rows(),
                       .x = x,
                       .weight = weight.ptr(),
                       .dy = dy.ptr(),
                       .dweight = dweight.ptr(),
                       .dbias = dbias.ptr()});
  }

  template <class T>
  void weights(const Kernels<T>& k) {
    const Size rows = f_.walk.rows, d = f_.walk.hidden;
    // Where all sentences are equally long, the states that rows start from lie in the order of the rows.
    const bool ordered = rows == f_.walk.steps() * f_.walk.sentences;
    const Tensor rows_before = ordered ? Tensor() : f_.walk.rows_before(cx_);
    const ops::Scratch before(cx_, f_.fed.dtype(), ordered ? Shape{0} : Shape{rows, d});
    const auto states_before = [&](const Tensor& states) -> const T* {
      if (ordered) return states.ptr();
      k.gather_rows({.rows = rows, .cols = d, .index = rows_before.ptr(), .table = states.ptr(), .y = before.ptr()});
      return before.ptr();
    };
    weight_gradient<T>(k, f_.weights.fed, {}, dgates_[0], states_before(f_.fed));
    for (std::size_t i = 0; i < f_.layers.size(); ++i) {
      const Layer& layer = f_.layers[i];
      weight_gradient<T>(k, layer.given.recurrent, {}, dgates_[i], states_before(layer.h));
      if (i > 0) weight_gradient<T>(k, layer.given.input, layer.given.bias, dgates_[i], row_of<T>(layer.input, 0));
    }
    weight_gradient<T>(k, f_.weights.state, f_.weights.bias, dz_, row_of<T>(f_.top().h, f_.walk.sentences));
    const Size used = f_.weights.context.cols(), width = f_.context.cols();
    const ops::Scratch narrow(cx_, f_.context.dtype(), used == width ? Shape{0} : Shape{rows, used});
    if (used != width)
      k.copy_block({.rows = rows,
                    .cols = used,
                    .from = f_.context.ptr(),
                    .from_stride = width,
                    .to = narrow.ptr(),
                    .to_stride = used});
    weight_gradient<T>(k, f_.weights.context, {}, dz_, used == width ? f_.context.ptr() : narrow.ptr());
  }

  // All questions at once, in the order of the sentences.
  template <class T>
  void keys_and_values(const Kernels<T>& k) {
    const Tensor &keys = f_.source.keys, &values = f_.source.values;
    if (!ops::any_tracked({keys, values})) return;
    const Walk::BySentence order = f_.walk.by_sentence(cx_);
    const auto ordered = [&]<class U>(const Kernels<U>& kernels, const Tensor& rows, Size first) {
      const Tensor result = cx_.empty(rows.dtype(), {f_.walk.rows, rows.cols()});
      kernels.gather_rows({.rows = f_.walk.rows,
                           .cols = rows.cols(),
                           .index = order.index.ptr(),
                           .table = row_of<U>(rows, first),
                           .y = result.ptr()});
      return result;
    };
    const auto& wide = cx_.device().kernels<kernels::Stat<T>>();
    auto forward = f_.attention<T>(f_.walk.rows, f_.source.rows);
    forward.query_offsets = order.segments.offsets().ptr();
    forward.longest_queries = order.segments.longest();
    forward.q = ordered(k, f_.top().h, f_.walk.sentences).ptr();
    forward.out = ordered(k, f_.context, 0).ptr();
    forward.log_sum = ordered(wide, f_.log_sum, 0).ptr();
    // One tensor may be both; its two gradients are then added to zeros.
    const bool one = f_.source.values_are_keys;
    const Sink dk = one ? Sink{cx_.gradient(keys), true} : cx_.sink(keys), dv = one ? dk : cx_.sink(values);
    k.attention_backward({.forward = forward,
                          .dout = ordered(k, dcontext_.tensor, 0).ptr(),
                          .dk = dk.ptr(),
                          .dv = dv.ptr(),
                          .dk_stride = keys.cols(),
                          .dv_stride = values.cols(),
                          .accumulate_dk = dk.accumulate,
                          .accumulate_dv = dv.accumulate});
  }

  Context& cx_;
  const Feeding& f_;
  Tensor dfed_;
  Sink dcontext_;
  bool ahead_;
  Tensor values_ahead_, context_ahead_, dz_, dquestion_, dh_;
  std::vector<Tensor> dc_, dgates_;  // of each layer
};

// States with room for `first` before them, which is copied there.
Tensor states_after(const Context& cx, const Walk& walk, const Tensor& first) {
  const Tensor states = cx.empty(first.dtype(), {walk.sentences + walk.rows, walk.hidden});
  cx.copy(first, states.row_view(0, walk.sentences));
  return states;
}

std::span<Dropout> dropouts(Context& cx, const Walk& walk, double rate) {
  const std::span<Dropout> list = cx.host_array<Dropout>(walk.steps());
  for (Dropout& one : list) one = cx.next_dropout(rate);
  return list;
}

void check_shapes(const char* op, const Walk& walk, const Tensor& gates, std::span<const FeedingLayer> layers,
                  const FeedingWeights& weights, const FeedingSource& source) {
  const Size d = walk.hidden;
  const auto expect = [op](const char* what, const Tensor& tensor, const Shape& shape) {
    check(tensor.shape() == shape, "[{}] {} {} do not fit: expected {}", op, what, tensor.shape(), shape);
  };
  expect("gates", gates, {walk.rows, 4 * d});
  expect("weights of what is fed", weights.fed, {4 * d, d});
  expect("weights of the state", weights.state, {d, d});
  expect("keys", source.keys, {source.rows.total(), d});
  check(weights.context.rows() == d && weights.context.cols() <= source.values.cols(),
        "[{}] weights {} do not fit values {}", op, weights.context.shape(), source.values.shape());
  check(source.rows.count() == walk.sentences && walk.active[0] == walk.sentences,
        "[{}] got {} sources and words for {} of {} sentences", op, source.rows.count(), walk.active[0],
        walk.sentences);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    expect("recurrent weights", layers[i].recurrent, {4 * d, d});
    if (i > 0) expect("weights of a layer", layers[i].input, {4 * d, d});
    expect("first states", layers[i].first.h, {walk.sentences, d});
    expect("first states", layers[i].first.c, {walk.sentences, d});
  }
}

bool any_tracked(const Tensor& gates, std::span<const FeedingLayer> layers, const FeedingWeights& weights,
                 const FeedingSource& source) {
  bool any =
      ops::any_tracked({gates, weights.fed, weights.state, weights.context, weights.bias, source.keys, source.values});
  for (const FeedingLayer& layer : layers)
    any |= ops::any_tracked({layer.input, layer.bias, layer.recurrent, layer.first.h, layer.first.c});
  return any;
}

}  // namespace

FeedingOutput lstm_feeding(Context& cx, const Tensor& gates, const Tensor& fed, std::span<const FeedingLayer> layers,
                           const FeedingWeights& weights, const FeedingSource& source, const TimeOrder& time,
                           const FeedingDropout& dropout) {
  constexpr const char* op = "lstm_feeding";
  ops::enter(op, cx,
             {gates, fed, weights.fed, weights.state, weights.context, weights.bias, source.keys, source.values});
  const DType type = gates.dtype();
  const Walk walk(cx, time, fed.cols());
  check_shapes(op, walk, gates, layers, weights, source);
  check(!fed.tracked(), "[{}] no gradient flows to what the first step is fed", op);
  Feeding f{.walk = walk, .weights = weights, .source = source, .layers = cx.host_array<Layer>(std::ssize(layers))};
  f.fed = states_after(cx, walk, fed);
  f.dropout = dropouts(cx, walk, dropout.out);
  f.out = f.drops() ? cx.empty(type, {walk.rows, walk.hidden}) : f.fed.row_view(walk.sentences, walk.rows);
  f.context = cx.empty(type, {walk.rows, source.values.cols()});
  f.log_sum = cx.empty(stat_of(type), {walk.rows, 1});
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Layer& layer = f.layers[i] = {.given = layers[i]};
    layer.gates = i == 0 ? gates : cx.empty(type, gates.shape());
    layer.h = states_after(cx, walk, layers[i].first.h);
    layer.c = states_after(cx, walk, layers[i].first.c);
    layer.dropout = dropouts(cx, walk, i == 0 ? 0 : dropout.between);
    if (i == 0) continue;
    const bool drops = layer.dropout[0].rate > 0;
    layer.input =
        drops ? cx.empty(type, {walk.rows, walk.hidden}) : f.layers[i - 1].h.row_view(walk.sentences, walk.rows);
  }
  cx.run(type, [&](const auto& k) {
    for (Size t = 0; t < walk.steps(); ++t) f.step(k, t);
  });
  FeedingOutput output{f.fed.row_view(walk.sentences, walk.rows), f.context, f.fed, {}};
  for (const Layer& layer : f.layers) output.states.push_back({layer.h, layer.c});
  ops::leave(op, cx, {output.fed, output.context});
  if (!cx.recording() || !any_tracked(gates, layers, weights, source)) return output;
  output.fed = cx.track(output.fed);
  output.context = cx.track(output.context);
  cx.record(op, {output.fed, output.context}, [f, fed = output.fed, context = output.context](Context& back) {
    FeedingBackward(back, f, back.gradient(fed), back.sink(context)).run();
  });
  return output;
}

}  // namespace dragoman
