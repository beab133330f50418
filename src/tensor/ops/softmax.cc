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

Best best_of_rows(Context& cx, const Tensor& x, Size count) {
  constexpr const char* op = "best_of_rows";
  ops::enter(op, cx, {x});
  check(count >= 1 && count <= x.cols(), "[{}] expected 1 to {} columns of {} but got {}", op, x.cols(), x.shape(),
        count);
  const Best best{cx.empty(stat_of(x.dtype()), {x.rows()}), cx.empty(x.dtype(), {x.rows(), count}),
                  cx.empty(DType::i32, {x.rows(), count})};
  cx.run(x.dtype(), [&](const auto& k) {
    k.best_of_rows({.rows = x.rows(),
                    .cols = x.cols(),
                    .best = count,
                    .x = x.ptr(),
                    .log_sum = best.log_sum.ptr(),
                    .values = best.values.ptr(),
                    .columns = best.columns.ptr()});
  });
  ops::leave(op, cx, {best.log_sum});
  return best;
}

}  // namespace dragoman
