#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {

Mixtures project_length(Context& cx, const LengthProjections& projections, const Columns& x, const Segments& rows) {
  constexpr const char* op = "project_length";
  const Tensor first = projections.first, second = projections.second;
  ops::enter(op, cx, {first, second, x.of});
  check(first.shape().rank() == 2 && x.of.rows() == rows.total(),
        "[{}] projection {} and x {} do not fit: expected two sizes and {} rows", op, first.shape(), x.of.shape(),
        rows.total());
  check(!second.defined() || second.shape() == first.shape(), "[{}] projections {} and {} differ in size", op,
        first.shape(), second.shape());
  const Size mixtures = first.shape()[0], length = first.shape()[1];
  check(rows.longest() <= length, "[{}] a sentence of {} tokens is longer than the {} that this projection {} supports",
        op, rows.longest(), length, first.shape());
  const auto mixed = [&](const Tensor& by) {
    const Shape shape{rows.count() * mixtures, x.count};
    return by.defined() ? ops::result(cx, x.of.dtype(), shape, {by, x.of}) : Tensor();
  };
  const Mixtures y{mixed(first), mixed(second)};
  const auto arguments = [=]<class T>(const kernels::Kernels<T>&) {
    return kernels::ProjectLength<T>{.sentences = rows.count(),
                                     .mixtures = mixtures,
                                     .size = x.count,
                                     .longest = rows.longest(),
                                     .length = length,
                                     .offsets = rows.offsets().ptr(),
                                     .projections = {first.ptr(), second.ptr()},
                                     .x = x.of.data<T>() + x.first,
                                     .x_stride = x.of.cols(),
                                     .y = {y.first.ptr(), y.second.ptr()}};
  };
  cx.run(x.of.dtype(), [&](const auto& kernels) { kernels.project_length(arguments(kernels)); });
  ops::leave(op, cx, {y.first, y.second});
  if (!y.first.tracked() && !y.second.tracked()) return y;
  cx.record(op, {y.first, y.second}, [arguments, first, second, x, y](Context& back) {
    // A result that no op has used has no gradient.
    const auto arrived = [&](const Tensor& t) {
      return t.tracked() && t.gradient()->written ? back.gradient(t) : Tensor();
    };
    const Tensor dy_first = arrived(y.first), dy_second = arrived(y.second);
    Sink dx;
    if (x.of.tracked()) dx = x.count == x.of.cols() ? back.sink(x.of) : Sink{back.gradient(x.of), true};
    const ops::StatSink dfirst(back, first), dsecond(back, second);
    back.run(x.of.dtype(), [&]<class T>(const kernels::Kernels<T>& kernels) {
      kernels.project_length_backward({.forward = arguments(kernels),
                                       .dy = {dy_first.ptr(), dy_second.ptr()},
                                       .dx = dx ? dx.tensor.data<T>() + x.first : nullptr,
                                       .dx_stride = x.of.cols(),
                                       .accumulate_dx = dx.accumulate,
                                       .dprojections = {dfirst.ptr(), dsecond.ptr()}});
    });
  });
  return y;
}

}  // namespace dragoman
