#include "tensor/ops/calls.h"
#include "tensor/ops/door.h"

namespace dragoman {

// One kernel for layer norm and for residual + dropout + norm; without a branch the sum is x itself.
ops::NormCall ops::norm_call(Context& cx, const char* op, const Tensor& x, const Tensor& branch, double rate,
                             const NormParameters& norm) {
  const Tensor gain = norm.gain, bias = norm.bias;
  ops::enter(op, cx, {x, branch, gain, bias});
  check(!branch.defined() || branch.shape() == x.shape(), "[{}] branch {} does not fit x {}", op, branch.shape(),
        x.shape());
  check(gain.count() == x.cols() && bias.count() == x.cols(),
        "[{}] gain {} and bias {} do not fit x {}: expected {} values", op, gain.shape(), bias.shape(), x.shape(),
        x.cols());
  const kernels::Dropout dropout = branch.defined() ? cx.next_dropout(rate) : kernels::Dropout{};
  const Tensor sum = branch.defined() ? ops::result(cx, x.dtype(), x.shape(), {x, branch}) : x;
  const Tensor y = ops::result(cx, x.dtype(), x.shape(), {x, branch, gain, bias});
  const DType stat = stat_of(x.dtype());
  const Tensor mean = cx.empty(stat, {x.rows()}), rstd = cx.empty(stat, {x.rows()});
  return {x, branch, gain, bias, sum, y, mean, rstd, dropout, norm.epsilon};
}

namespace {

Residual normalise(Context& cx, const char* op, const ops::NormCall& call) {
  const Tensor x = call.x, branch = call.branch, sum = call.sum, y = call.y;
  cx.run(x.dtype(), [&]<class T>(const kernels::Kernels<T>& k) { k.norm(call.arguments<T>()); });
  ops::leave(op, cx, {y});
  if (!y.tracked()) return {sum, y};
  const Tensor no_sum;
  cx.record(op, {y, branch.defined() ? sum : no_sum}, [call](Context& back) {
    const Tensor dy = back.gradient(call.y);
    const bool past_norm = call.branch.defined() && call.sum.tracked() && call.sum.gradient()->written;
    const Tensor dsum = past_norm ? back.gradient(call.sum) : Tensor();
    const Sink dx = back.sink(call.x), dbranch = back.sink(call.branch);
    const ops::StatSink dgain(back, call.gain), dbias(back, call.bias);
    back.run(call.x.dtype(), [&](const auto& k) {
      k.norm_backward({.rows = call.x.rows(),
                       .cols = call.x.cols(),
                       .sum = call.sum.ptr(),
                       .gain = call.gain.ptr(),
                       .mean = call.mean.ptr(),
                       .rstd = call.rstd.ptr(),
                       .dy = dy.ptr(),
                       .dsum = dsum.ptr(),
                       .dropout = call.dropout,
                       .dx = dx.ptr(),
                       .accumulate_dx = dx.accumulate,
                       .dbranch = dbranch.ptr(),
                       .accumulate_dbranch = dbranch.accumulate,
                       .dgain = dgain.ptr(),
                       .dbias = dbias.ptr()});
    });
  });
  return {sum, y};
}

}  // namespace

Tensor layer_norm(Context& cx, const Tensor& x, const NormParameters& norm) {
  constexpr const char* op = "layer_norm";
  return normalise(cx, op, ops::norm_call(cx, op, x, {}, 0, norm)).normalised;
}

Residual residual_norm(Context& cx, const Tensor& x, const Tensor& branch, double dropout, const NormParameters& norm) {
  constexpr const char* op = "residual_norm";
  check(branch.defined(), "[{}] expected a branch to add to x {}", op, x.shape());
  return normalise(cx, op, ops::norm_call(cx, op, x, branch, dropout, norm));
}

}  // namespace dragoman
