#include "tensor/ops/calls.h"
#include "tensor/ops/door.h"

namespace dragoman {
namespace {

constexpr const char* op = "linear";

}  // namespace

ops::LinearCall ops::linear_call(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias,
                                 const LinearOptions& options) {
  ops::enter(op, cx, {x, weight, bias});
  const bool transposed = options.transposed;
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
        "[{}] a result written to given memory cannot have gradients", op);
  const bool keeps_z = kernels::needs_input(options.activation) && y.tracked();
  const Tensor z = keeps_z ? cx.empty(x.dtype(), {rows, out}) : Tensor();
  return {x, weight, bias, y, z, options.activation, transposed};
}

Tensor linear(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias, const LinearOptions& options) {
  const ops::LinearCall call = ops::linear_call(cx, x, weight, bias, options);
  const Tensor y = call.y;
  const bool transposed = call.transposed;
  const Activation activation = call.activation;
  const Tensor multiplied = call.is_packed() ? weight : plain_weight(cx, weight);
  cx.run(x.dtype(), [&]<class T>(const kernels::Kernels<T>& k) {
    if (call.is_packed())
      k.linear_packed(call.arguments<T>());
    else
      k.linear({.rows = y.rows(),
                .in = x.cols(),
                .out = y.cols(),
                .transposed = transposed,
                .activation = activation,
                .x = x.ptr(),
                .weight = multiplied.ptr(),
                .bias = bias.ptr(),
                .y = y.ptr(),
                .z = call.z.ptr()});
  });
  ops::leave(op, cx, {y});
  if (!y.tracked()) return y;
  const Tensor saved = call.z.defined() ? call.z : y;
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
