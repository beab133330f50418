#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {
namespace {

// The layer over a packed weight.
void run_packed(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation,
                const Tensor& y) {
  cx.run(x.dtype(), [&](const auto& k) {
    k.linear_packed({.rows = y.rows(),
                     .in = x.cols(),
                     .out = y.cols(),
                     .activation = activation,
                     .x = x.ptr(),
                     .packed = weight.packed(),
                     .bias = bias.ptr(),
                     .y = y.ptr()});
  });
}

}  // namespace

Tensor linear(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias, const LinearOptions& options) {
  constexpr const char* op = "linear";
  ops::enter(op, cx, {x, weight, bias});
  const bool transposed = options.transposed;
  const Activation activation = options.activation;
  check(weight.shape().rank() == 2, "[{}] expected a weight of two sizes but got {}", op, weight.shape());
  const Size in = weight.shape()[transposed ? 1 : 0], out = weight.shape()[transposed ? 0 : 1];
  check(x.cols() == in, "[{}] x {} does not fit weight {}: expected {} columns", op, x.shape(), weight.shape(), in);
  check(!bias.defined() || bias.count() == out, "[{}] bias {} does not fit weight {}: expected {} values", op,
        bias.shape(), weight.shape(), out);
  const Size rows = x.rows();
  const Tensor y = options.into.defined() ? options.into : ops::result(cx, x.dtype(), {rows, out}, {x, weight, bias});
  check(y.dtype() == x.dtype() && y.rows() == rows && y.cols() == out, "[{}] a result [{}, {}] does not fit into {}",
        op, rows, out, y.shape());
  check(!options.into.defined() || !cx.recording() || !ops::any_tracked({x, weight, bias}),
        "[{}] no gradient flows through memory that was given", op);
  const bool keeps_z = kernels::needs_input(activation) && y.tracked();
  const Tensor z = keeps_z ? cx.empty(x.dtype(), {rows, out}) : Tensor();
  if (weight.packed() && transposed && !keeps_z)
    run_packed(cx, x, weight, bias, activation, y);
  else
    cx.run(x.dtype(), [&](const auto& k) {
      k.linear({.rows = rows,
                .in = in,
                .out = out,
                .transposed = transposed,
                .activation = activation,
                .x = x.ptr(),
                .weight = weight.ptr(),
                .bias = bias.ptr(),
                .y = y.ptr(),
                .z = z.ptr()});
    });
  ops::leave(op, cx, {y});
  if (!y.tracked()) return y;
  const Tensor saved = keeps_z ? z : y;
  cx.record(op, {y}, [x, weight, bias, y, saved, transposed, activation](Context& back) {
    const Tensor dy = back.gradient(y);
    const Sink dx = back.sink(x);
    const ops::StatSink dweight(back, weight), dbias(back, bias);
    const bool plain = activation == Activation::none;
    const ops::Scratch dz(back, y.dtype(), plain ? Shape{0} : y.shape());
    back.run(x.dtype(), [&](const auto& k) {
      k.linear_backward({.rows = y.rows(),
                         .in = x.cols(),
                         .out = y.cols(),
                         .transposed = transposed,
                         .activation = activation,
                         .x = x.ptr(),
                         .weight = weight.ptr(),
                         .saved = saved.ptr(),
                         .dy = dy.ptr(),
                         .dz = dz.ptr(),
                         .dx = dx.ptr(),
                         .accumulate_dx = dx.accumulate,
                         .dweight = dweight.ptr(),
                         .dbias = dbias.ptr()});
    });
  });
  return y;
}

}  // namespace dragoman
