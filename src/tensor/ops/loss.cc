#include <algorithm>

#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {
namespace {

// Number of rows of logits per block: enough for the matrix product to run at full speed, few enough that the logits
// take little memory. All blocks have about the same size.
Size rows_at_once(const Device& device, Size rows, Size classes) {
  const Size numbers = Size{1} << (device.on_host() ? 22 : 29);
  const Size most = std::max<Size>(64, numbers / std::max<Size>(classes, 1));
  const Size pieces = std::max<Size>(1, (rows + most - 1) / most), piece = (rows + pieces - 1) / pieces;
  return (piece + 15) / 16 * 16;
}

}  // namespace

Losses cross_entropy(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& targets,
                     const LossOptions& options) {
  constexpr const char* op = "cross_entropy";
  ops::enter(op, cx, {x, weight, bias, targets});
  const bool transposed = options.transposed;
  const Size rows = x.rows(), in = x.cols(), classes = weight.shape()[transposed ? 0 : 1];
  check(weight.shape().rank() == 2 && weight.shape()[transposed ? 1 : 0] == in, "[{}] x {} does not fit weight {}", op,
        x.shape(), weight.shape());
  check(!bias.defined() || bias.count() == classes, "[{}] bias {} does not fit weight {}", op, bias.shape(),
        weight.shape());
  check(targets.dtype() == DType::i32 && targets.count() == rows,
        "[{}] targets {} of {} do not fit x {}: expected one i32 for each row", op, targets.shape(),
        name_of(targets.dtype()), x.shape());
  ops::check_ids(op, targets, classes);

  const bool backward = cx.recording() && ops::any_tracked({x, weight, bias});
  const DType stat = stat_of(x.dtype());
  const Losses losses{cx.empty(stat, {rows}), cx.empty(stat, {rows})};
  const Sink dx = backward ? cx.sink(x) : Sink{};
  const Tensor none;
  const ops::StatSink dweight(cx, backward ? weight : none), dbias(cx, backward ? bias : none);
  const Size chunk = rows_at_once(cx.device(), rows, classes);
  // With a packed form, the bits of a row do not depend on the other rows.
  const bool packed = !backward && transposed && weight.packed();
  const Tensor multiplied = packed ? weight : plain_weight(cx, weight);
  const ops::Scratch logits(cx, x.dtype(), {std::min(chunk, rows), classes});
  for (Size first = 0; first < rows; first += chunk) {
    const Size count = std::min(chunk, rows - first);
    cx.run(x.dtype(), [&]<class T>(const kernels::Kernels<T>& k) {
      T* const chunk_logits = logits.ptr();
      const T* const chunk_x = x.data<T>() + first * in;
      if (packed)
        k.linear_packed({.rows = count,
                         .in = in,
                         .out = classes,
                         .format = weight.packed_format(),
                         .x = chunk_x,
                         .packed = weight.packed(),
                         .bias = bias.ptr(),
                         .y = chunk_logits});
      else
        k.linear({.rows = count,
                  .in = in,
                  .out = classes,
                  .transposed = transposed,
                  .x = chunk_x,
                  .weight = multiplied.ptr(),
                  .bias = bias.ptr(),
                  .y = chunk_logits});
      k.cross_entropy({.rows = count,
                       .classes = classes,
                       .logits = chunk_logits,
                       .targets = targets.data<std::int32_t>() + first,
                       .smoothing = options.smoothing,
                       .gradient_scale = backward ? options.gradient_scale : 0,
                       .loss = losses.loss.data<kernels::Stat<T>>() + first,
                       .nll = losses.nll.data<kernels::Stat<T>>() + first});
      if (!backward) return;
      k.linear_backward({.rows = count,
                         .in = in,
                         .out = classes,
                         .transposed = transposed,
                         .x = chunk_x,
                         .weight = multiplied.ptr(),
                         .dy = chunk_logits,
                         .dx = dx ? dx.tensor.data<T>() + first * in : nullptr,
                         .accumulate_dx = dx.accumulate,
                         .dweight = dweight.ptr(),
                         .dbias = dbias.ptr()});
    });
  }
  ops::leave(op, cx, {losses.loss});
  return losses;
}

}  // namespace dragoman
