#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {
namespace {

// Layer norm and residual + dropout + norm are one kernel; without a branch the sum is x itself.
Residual normalise(Context& cx, const char* op, const Tensor& x, const Tensor& branch, double rate,
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
  cx.run(x.dtype(), [&](const auto& k) {
    k.norm({.rows = x.rows(),
            .cols = x.cols(),
            .epsilon = norm.epsilon,
            .x = x.ptr(),
            .branch = branch.ptr(),
            .dropout = dropout,
            .gain = gain.ptr(),
            .bias = bias.ptr(),
            .sum = sum.ptr(),
            .y = y.ptr(),
            .mean = mean.ptr(),
            .rstd = rstd.ptr()});
  });
  ops::leave(op, cx, {y});
  if (!y.tracked()) return {sum, y};
  const Tensor no_sum;
  cx.record(op, {y, branch.defined() ? sum : no_sum},
            [x, branch, gain, bias, sum, y, mean, rstd, dropout](Context& back) {
              const Tensor dy = back.gradient(y);
              const bool past_norm = branch.defined() && sum.tracked() && sum.gradient()->written;
              const Tensor dsum = past_norm ? back.gradient(sum) : Tensor();
              const Sink dx = back.sink(x), dbranch = back.sink(branch);
              const ops::StatSink dgain(back, gain), dbias(back, bias);
              back.run(x.dtype(), [&](const auto& k) {
                k.norm_backward({.rows = x.rows(),
                                 .cols = x.cols(),
                                 .sum = sum.ptr(),
                                 .gain = gain.ptr(),
                                 .mean = mean.ptr(),
                                 .rstd = rstd.ptr(),
                                 .dy = dy.ptr(),
                                 .dsum = dsum.ptr(),
                                 .dropout = dropout,
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
  return normalise(cx, "layer_norm", x, {}, 0, norm).normalised;
}

Residual residual_norm(Context& cx, const Tensor& x, const Tensor& branch, double dropout, const NormParameters& norm) {
  check(branch.defined(), "[residual_norm] expected a branch to add to x {}", x.shape());
  return normalise(cx, "residual_norm", x, branch, dropout, norm);
}

}  // namespace dragoman
