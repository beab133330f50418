#pragma once

#include "tensor/ops.h"

// Kernel calls that a row program may consist of. A `*_call` function does the first part of an op: it checks the
// arguments and allocates the results. The call then runs at once or becomes part of a program.
namespace dragoman::ops {

struct LinearCall {
  Tensor x, weight, bias, y;
  Tensor z{};  // the pre-activation value, if backward needs it
  Activation activation = Activation::none;
  bool transposed = true;

  bool is_packed() const { return weight.packed() != nullptr && transposed && !z.defined(); }
  // Kernel arguments for the packed weight.
  template <class T>
  kernels::LinearPacked<T> arguments() const {
    return {.rows = y.rows(),
            .in = x.cols(),
            .out = y.cols(),
            .format = weight.packed_format(),
            .activation = activation,
            .x = x.ptr(),
            .packed = weight.packed(),
            .bias = bias.ptr(),
            .y = y.ptr()};
  }
};
LinearCall linear_call(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias,
                       const LinearOptions& options);

struct NormCall {
  Tensor x, branch, gain, bias;
  Tensor sum, y, mean, rstd;
  kernels::Dropout dropout{};
  double epsilon = 0;

  template <class T>
  kernels::Norm<T> arguments() const {
    return {.rows = x.rows(),
            .cols = x.cols(),
            .epsilon = epsilon,
            .x = x.ptr(),
            .branch = branch.ptr(),
            .dropout = dropout,
            .gain = gain.ptr(),
            .bias = bias.ptr(),
            .sum = sum.ptr(),
            .y = y.ptr(),
            .mean = mean.ptr(),
            .rstd = rstd.ptr()};
  }
};
NormCall norm_call(Context& cx, const char* op, const Tensor& x, const Tensor& branch, double rate,
                   const NormParameters& norm);

struct AttentionCall {
  Columns q, k, v;
  Segments queries, keys;
  AttentionOptions options;
  kernels::Dropout dropout{};
  Tensor out, log_sum, weights;

  // The first element of some columns, or null if they are not of type T.
  template <class T>
  static const T* start_of(const Columns& columns) {
    return columns.of.dtype() == dtype_of<T> ? columns.of.data<T>() + columns.first : nullptr;
  }
  template <class T>
  kernels::Attention<T> arguments() const {
    const bool narrow = k.of.dtype() != q.of.dtype();
    return {.sentences = queries.count(),
            .heads = options.heads,
            .key_size = k.count / options.heads,
            .value_size = v.count / options.heads,
            .queries = queries.total(),
            .keys = keys.total(),
            .query_offsets = queries.offsets().ptr(),
            .key_offsets = keys.offsets().ptr(),
            .longest_queries = queries.longest(),
            .longest = keys.longest(),
            .causal = options.causal,
            .scale = options.scale,
            .dropout = dropout,
            .q = q.of.data<T>() + q.first,
            .k = start_of<T>(k),
            .v = start_of<T>(v),
            .q_stride = q.of.cols(),
            .k_stride = k.of.cols(),
            .v_stride = v.of.cols(),
            .k_bf16 = narrow ? start_of<kernels::bf16>(k) : nullptr,
            .v_bf16 = narrow ? start_of<kernels::bf16>(v) : nullptr,
            .key_rows = options.key_rows.ptr(),
            .out = out.ptr(),
            .log_sum = log_sum.ptr(),
            .weights = weights.ptr()};
  }
};
AttentionCall attention_call(Context& cx, const Columns& q, const Columns& k, const Columns& v, const Segments& queries,
                             const Segments& keys, const AttentionOptions& options);

}  // namespace dragoman::ops
