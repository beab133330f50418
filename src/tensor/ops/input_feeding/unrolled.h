#pragma once

#include "tensor/ops/input_feeding/input_feeding.h"

// Shared by forward and backward of input feeding: the layout of the steps and the values that forward saves.
namespace dragoman::input_feeding {

// The rows of step t are first[t] .. first[t] + active[t]. Arrays of states have B more rows at the front: the initial
// states.
struct StepLayout {
  Size sentences = 0, hidden = 0, rows = 0;
  std::span<const std::int32_t> active;
  std::span<Size> first;

  StepLayout(const Context& cx, const TimeOrder& time, Size width)
      : sentences(std::ssize(time.host_order)), hidden(width), active(time.active) {
    first = cx.host_array<Size>(steps());
    for (Size t = 0; t < steps(); ++t) {
      first[t] = rows;
      rows += active[t];
    }
  }
  Size steps() const { return std::ssize(active); }
  // In an array of states, the first row that step t reads and the first row that it writes.
  Size before(Size t) const { return t == 0 ? 0 : sentences + first[t - 1]; }
  Size after(Size t) const { return sentences + first[t]; }
};

template <class T>
T* row_of(const Tensor& tensor, Size row) {
  return tensor.data<T>() + row * tensor.cols();
}

// `rows` rows of x, starting at `row`, times a weight: [out, in] forward, [in, out] backward. The weight may cover only
// the first columns of x.
template <class T>
kernels::Term<T> term_of(Size rows, const Tensor& x, Size row, const Tensor& weight, bool back = false) {
  return {.rows = rows,
          .size = back ? weight.rows() : weight.cols(),
          .x = row_of<T>(x, row),
          .x_stride = x.cols(),
          .weight = weight.ptr()};
}

// The same for an x that is independent of the previous kernel.
template <class T>
kernels::Term<T> independent(kernels::Term<T> term) {
  term.independent = true;
  return term;
}

// A layer and the values that its steps save for backward.
struct UnrolledLayer {
  Layer given;
  Tensor gates{};   // [rows, 4 hidden]
  Tensor h{}, c{};  // states, [sentences + rows, hidden]
  Tensor input{};   // [rows, hidden]: dropout(h) of the layer below; undefined in the first layer
  std::span<kernels::Dropout> dropout{};
};

struct Unrolled {
  StepLayout layout;
  Weights weights;
  Source source;
  std::span<UnrolledLayer> layers;
  std::span<kernels::Dropout> dropout{};
  Tensor fed{};      // states
  Tensor out{};      // [rows, hidden]: fed before dropout
  Tensor context{};  // [rows, size of a value]
  Tensor log_sum{};  // [rows, 1]

  bool drops() const { return dropout[0].rate > 0; }
  const UnrolledLayer& top() const { return layers.back(); }

  template <class T>
  kernels::Attention<T> attention(Size queries, const Segments& keys) const {
    return {.sentences = keys.count(),
            .key_size = layout.hidden,
            .value_size = context.cols(),
            .queries = queries,
            .keys = keys.total(),
            .key_offsets = keys.offsets().ptr(),
            .longest = keys.longest(),
            .scale = source.scale,
            .k = source.keys.ptr(),
            .v = source.values.ptr(),
            .q_stride = layout.hidden,
            .k_stride = layout.hidden,
            .v_stride = context.cols(),
            .values_are_keys = source.values_are_keys};
  }
  // Step t: one query for each sentence that still has a word.
  template <class T>
  kernels::Attention<T> attention_of_step(Size t) const {
    auto a = attention<T>(layout.active[t], source.rows.first(layout.active[t]));
    a.query_offsets = source.queries.offsets().ptr();
    a.longest_queries = 1;
    a.independent_keys = true;
    a.q = row_of<T>(top().h, layout.after(t));
    a.out = row_of<T>(context, layout.first[t]);
    a.log_sum = row_of<kernels::Stat<T>>(log_sum, layout.first[t]);
    return a;
  }
};

// Computes the gradients of all inputs of `unroll` from those of its results.
void unroll_backward(Context& cx, const Unrolled& unrolled, const Tensor& dfed, const Sink& dcontext);

}  // namespace dragoman::input_feeding
