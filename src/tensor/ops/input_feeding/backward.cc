#include "tensor/ops/door.h"
#include "tensor/ops/input_feeding/unrolled.h"

// In the backward loop, a step computes only the gradients that the preceding step needs. Gradients of weights, keys
// and values are computed for all steps at once afterwards.
namespace dragoman::input_feeding {

namespace {

using kernels::Kernels;

// For every row, the index of the state it reads: i32 [rows].
Tensor rows_before(const Context& cx, const StepLayout& layout) {
  const std::span<std::int32_t> list = cx.host_array<std::int32_t>(layout.rows);
  for (Size t = 0; t < layout.steps(); ++t)
    for (Size i = 0; i < layout.active[t]; ++i)
      list[layout.first[t] + i] = static_cast<std::int32_t>(layout.before(t) + i);
  return cx.from_host<std::int32_t>(list, {layout.rows});
}

// The rows in sentence order, and the number of rows per sentence.
struct BySentence {
  Segments segments;
  Tensor index;  // i32 [rows]
};
BySentence by_sentence(const Context& cx, const StepLayout& layout) {
  const std::span<std::int32_t> lengths = cx.host_array<std::int32_t>(layout.sentences);
  const std::span<std::int32_t> list = cx.host_array<std::int32_t>(layout.rows);
  Size at = 0;
  for (Size i = 0; i < layout.sentences; ++i) {
    Size t = 0;
    for (; t < layout.steps() && i < layout.active[t]; ++t) list[at++] = static_cast<std::int32_t>(layout.first[t] + i);
    lengths[i] = static_cast<std::int32_t>(t);
  }
  return {Segments::from_lengths(cx, lengths), cx.from_host<std::int32_t>(list, {layout.rows})};
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

// Holds the gradients that pass from step to step: of the pre-activations, of the cell states and of the query.
//
// The gradient of a step's context is dz W, and attention multiplies it by the values. If no other gradient reaches the
// context, a GPU, where launches cost more than products, skips dz W: (dz W) . v = dz . (W v), and the products W v are
// the same for all steps, so they are computed once in advance.
class Backward {
 public:
  Backward(Context& cx, const Unrolled& unrolled, const Tensor& dfed, const Sink& dcontext)
      : cx_(cx),
        u_(unrolled),
        dfed_(dfed),
        dcontext_(dcontext),
        projects_first_(!dcontext.accumulate && !cx.device().on_host() &&
                        unrolled.weights.context.cols() == unrolled.context.cols()) {
    if (!dcontext_.accumulate && u_.weights.context.cols() < u_.context.cols()) {
      dcontext_.tensor.clear();
      dcontext_.accumulate = true;
    }
    const DType type = u_.fed.dtype();
    const Shape states{u_.layout.sentences, u_.layout.hidden};
    dz_ = cx.empty(type, {u_.layout.rows, u_.layout.hidden});
    dquery_ = cx.empty(type, states);
    dh_ = cx.empty(type, states);
    // The gradient of the word gates is that of the first layer's gates, to which they were added.
    const Sink given = cx.sink(u_.layers[0].gates);
    check(!given.accumulate, "[input_feeding] the gates were overwritten and may not be used elsewhere");
    for (const UnrolledLayer& layer : u_.layers) {
      dc_.push_back(cx.zeros(type, states));
      dgates_.push_back(dgates_.empty() && given ? given.tensor : cx.empty(type, layer.gates.shape()));
    }
  }

  void run() {
    cx_.run(u_.fed.dtype(), [&](const auto& k) {
      if (projects_first_) project_context(k);
      for (Size t = u_.layout.steps() - 1; t >= 0; --t) step(k, t);
      if (projects_first_) context_gradient(k, 0, u_.layout.rows);
      first_states(k);
      weights(k);
      keys_and_values(k);
    });
  }

 private:
  template <class T>
  void step(const Kernels<T>& k, Size t) {
    const Size m = u_.layout.active[t], row = u_.layout.first[t], d = u_.layout.hidden;
    k.tanh_step_backward({.rows = m,
                          .out = d,
                          .terms = {from_next_step<T>(t, 0, u_.weights.fed), {}},
                          .y = row_of<T>(u_.out, row),
                          .dy = row_of<T>(dfed_, row),
                          .dropout = u_.dropout[t],
                          .dz = row_of<T>(dz_, row)});
    kernels::AttentionBackward<T> attention{.forward = u_.attention_of_step<T>(t), .dq = dquery_.ptr(), .dq_stride = d};
    if (projects_first_) {
      attention.forward.value_size = attention.forward.v_stride = d;
      attention.forward.v = projected_values_.ptr();
      attention.forward.values_are_keys = false;
      attention.forward.out = row_of<T>(projected_contexts_, row);
      attention.dout = row_of<T>(dz_, row);
    } else {
      context_gradient(k, row, m);
      attention.dout = row_of<T>(dcontext_.tensor, row);
    }
    k.attention_backward(attention);
    for (std::size_t i = u_.layers.size(); i-- > 0;) step_layer(k, t, i);
  }

  // The values and the contexts, each multiplied by the context weight.
  template <class T>
  void project_context(const Kernels<T>& k) {
    const Tensor& weight = u_.weights.context;
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
    projected_values_ = multiplied(u_.source.values);
    projected_contexts_ = multiplied(u_.context);
  }

  template <class T>
  void context_gradient(const Kernels<T>& k, Size row, Size rows) {
    const Tensor &weight = u_.weights.context, &to = dcontext_.tensor;
    multiply_back(k, term_of<T>(rows, dz_, row, weight, true), weight, row_of<T>(to, row), to.cols(),
                  dcontext_.accumulate);
  }

  // The gradient that the gates of the next step pass back through a weight; none in the last step.
  template <class T>
  kernels::Term<T> from_next_step(Size t, std::size_t which, const Tensor& weight) {
    if (t + 1 == u_.layout.steps()) return {};
    return term_of<T>(u_.layout.active[t + 1], dgates_[which], u_.layout.first[t + 1], weight, true);
  }

  template <class T>
  void step_layer(const Kernels<T>& k, Size t, std::size_t which) {
    const UnrolledLayer& layer = u_.layers[which];
    const Size m = u_.layout.active[t], row = u_.layout.first[t];
    const bool top = which + 1 == u_.layers.size();
    kernels::LstmStepBackward<T> step{.cell = {.rows = m,
                                               .hidden = u_.layout.hidden,
                                               .gates = row_of<T>(layer.gates, row),
                                               .c_before = row_of<T>(layer.c, u_.layout.before(t)),
                                               .c = row_of<T>(layer.c, u_.layout.after(t)),
                                               .dh = top ? dquery_.data<T>() : nullptr,
                                               .dc = dc_[which].ptr(),
                                               .dgates = row_of<T>(dgates_[which], row),
                                               .dc_before = dc_[which].ptr()},
                                      .dh = dh_.ptr()};
    step.terms = {top ? independent(term_of<T>(m, dz_, row, u_.weights.state, true))
                      : term_of<T>(m, dgates_[which + 1], row, u_.layers[which + 1].given.input, true),
                  independent(from_next_step<T>(t, which, layer.given.recurrent))};
    if (!top) step.dropout = u_.layers[which + 1].dropout[t];
    k.lstm_step_backward(step);
  }

  template <class T>
  void first_states(const Kernels<T>& k) {
    const Size count = u_.layout.sentences, d = u_.layout.hidden;
    for (std::size_t i = 0; i < u_.layers.size(); ++i) {
      const Layer& given = u_.layers[i].given;
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
    const Size rows = u_.layout.rows, d = u_.layout.hidden;
    // If all sentences have the same length, the states that the rows read are already in row order.
    const bool ordered = rows == u_.layout.steps() * u_.layout.sentences;
    const Tensor rows_before = ordered ? Tensor() : input_feeding::rows_before(cx_, u_.layout);
    const ops::Scratch before(cx_, u_.fed.dtype(), ordered ? Shape{0} : Shape{rows, d});
    const auto states_before = [&](const Tensor& states) -> const T* {
      if (ordered) return states.ptr();
      k.gather_rows({.rows = rows, .cols = d, .index = rows_before.ptr(), .table = states.ptr(), .y = before.ptr()});
      return before.ptr();
    };
    weight_gradient<T>(k, u_.weights.fed, {}, dgates_[0], states_before(u_.fed));
    for (std::size_t i = 0; i < u_.layers.size(); ++i) {
      const UnrolledLayer& layer = u_.layers[i];
      weight_gradient<T>(k, layer.given.recurrent, {}, dgates_[i], states_before(layer.h));
      if (i > 0) weight_gradient<T>(k, layer.given.input, layer.given.bias, dgates_[i], row_of<T>(layer.input, 0));
    }
    weight_gradient<T>(k, u_.weights.state, u_.weights.bias, dz_, row_of<T>(u_.top().h, u_.layout.sentences));
    const Size used = u_.weights.context.cols(), width = u_.context.cols();
    const ops::Scratch narrow(cx_, u_.context.dtype(), used == width ? Shape{0} : Shape{rows, used});
    if (used != width)
      k.copy_block({.rows = rows,
                    .cols = used,
                    .from = u_.context.ptr(),
                    .from_stride = width,
                    .to = narrow.ptr(),
                    .to_stride = used});
    weight_gradient<T>(k, u_.weights.context, {}, dz_, used == width ? u_.context.ptr() : narrow.ptr());
  }

  // Backward of attention over the queries of all steps at once, in sentence order.
  template <class T>
  void keys_and_values(const Kernels<T>& k) {
    const Tensor &keys = u_.source.keys, &values = u_.source.values;
    if (!ops::any_tracked({keys, values})) return;
    const BySentence order = by_sentence(cx_, u_.layout);
    const auto ordered = [&]<class U>(const Kernels<U>& kernels, const Tensor& rows, Size first) {
      const Tensor result = cx_.empty(rows.dtype(), {u_.layout.rows, rows.cols()});
      kernels.gather_rows({.rows = u_.layout.rows,
                           .cols = rows.cols(),
                           .index = order.index.ptr(),
                           .table = row_of<U>(rows, first),
                           .y = result.ptr()});
      return result;
    };
    const auto& wide = cx_.device().kernels<kernels::Stat<T>>();
    auto forward = u_.attention<T>(u_.layout.rows, u_.source.rows);
    forward.query_offsets = order.segments.offsets().ptr();
    forward.longest_queries = order.segments.longest();
    forward.q = ordered(k, u_.top().h, u_.layout.sentences).ptr();
    forward.out = ordered(k, u_.context, 0).ptr();
    forward.log_sum = ordered(wide, u_.log_sum, 0).ptr();
    // Both gradients of a shared tensor are accumulated, starting from zeros.
    const Sink dk = u_.source.values_are_keys ? Sink{cx_.gradient(keys), true} : cx_.sink(keys),
               dv = u_.source.values_are_keys ? dk : cx_.sink(values);
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
  const Unrolled& u_;
  Tensor dfed_;
  Sink dcontext_;
  bool projects_first_;
  Tensor projected_values_, projected_contexts_, dz_, dquery_, dh_;
  std::vector<Tensor> dc_, dgates_;  // of each layer
};

}  // namespace

void unroll_backward(Context& cx, const Unrolled& unrolled, const Tensor& dfed, const Sink& dcontext) {
  Backward(cx, unrolled, dfed, dcontext).run();
}

}  // namespace dragoman::input_feeding
