#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {
namespace {

Tensor softmax_rows(Context& cx, const char* op, const Tensor& x, Size rows, Size cols, const Tensor& starts) {
  const Tensor y = ops::result(cx, x.dtype(), x.shape(), {x});
  cx.run(x.dtype(), [&](const auto& k) {
    k.softmax({.rows = rows, .cols = cols, .starts = starts.ptr(), .x = x.ptr(), .y = y.ptr()});
  });
  ops::leave(op, cx, {y});
  if (!y.tracked()) return y;
  cx.record(op, {y}, [x, y, rows, cols, starts](Context& back) {
    const Tensor dy = back.gradient(y);
    const Sink dx = back.sink(x);
    back.run(x.dtype(), [&](const auto& k) {
      k.softmax_backward({.rows = rows,
                          .cols = cols,
                          .starts = starts.ptr(),
                          .y = y.ptr(),
                          .dy = dy.ptr(),
                          .dx = dx.ptr(),
                          .accumulate_dx = dx.accumulate});
    });
  });
  return y;
}

}  // namespace

Tensor softmax(Context& cx, const Tensor& x) {
  ops::enter("softmax", cx, {x});
  return softmax_rows(cx, "softmax", x, x.rows(), x.cols(), {});
}

Tensor segment_softmax(Context& cx, const Tensor& scores, const PairLayout& pairs) {
  constexpr const char* op = "segment_softmax";
  ops::enter(op, cx, {scores, pairs.starts});
  check(scores.count() == pairs.count, "[{}] scores {} do not fit: expected {} pairs", op, scores.shape(), pairs.count);
  return softmax_rows(cx, op, scores, pairs.queries.total(), 0, pairs.starts);
}

}  // namespace dragoman
