#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {

Tensor project_length(Context& cx, const LengthProjections& projections, const Columns& x, const Segments& rows) {
  constexpr const char* op = "project_length";
  const Tensor first = projections.first, second = projections.second;
  ops::enter(op, cx, {first, second, x.of});
  const Size parts = second.defined() ? 2 : 1;
  check(first.shape().rank() == 2 && x.of.rows() == rows.total() && x.count % parts == 0,
        "[{}] projection {} and x {} do not fit: expected two sizes, {} rows and columns for {} projections", op,
        first.shape(), x.of.shape(), rows.total(), parts);
  check(parts == 1 || second.shape() == first.shape(), "[{}] projections {} and {} differ in size", op, first.shape(),
        second.shape());
  const Size mixtures = first.shape()[0], length = first.shape()[1];
  check(rows.longest() <= length, "[{}] a sentence of {} tokens is longer than the {} this projection {} was made for",
        op, rows.longest(), length, first.shape());
  const Tensor y = ops::result(cx, x.of.dtype(), {rows.count() * mixtures, x.count}, {first, second, x.of});
  const auto arguments = [=]<class T>(const kernels::Kernels<T>&) {
    return kernels::ProjectLength<T>{.sentences = rows.count(),
                                     .mixtures = mixtures,
                                     .size = x.count / parts,
                                     .longest = rows.longest(),
                                     .length = length,
                                     .offsets = rows.offsets().ptr(),
                                     .projections = {first.ptr(), second.ptr()},
                                     .x = x.of.data<T>() + x.first,
                                     .x_stride = x.of.cols(),
                                     .y = y.ptr()};
  };
  cx.run(x.of.dtype(), [&](const auto& kernels) { kernels.project_length(arguments(kernels)); });
  ops::leave(op, cx, {y});
  if (!y.tracked()) return y;
  cx.record(op, {y}, [arguments, first, second, x, y](Context& back) {
    const Tensor dy = back.gradient(y);
    Sink dx;
    if (x.of.tracked()) dx = x.count == x.of.cols() ? back.sink(x.of) : Sink{back.gradient(x.of), true};
    const ops::StatSink dfirst(back, first), dsecond(back, second);
    back.run(y.dtype(), [&]<class T>(const kernels::Kernels<T>& kernels) {
      kernels.project_length_backward({.forward = arguments(kernels),
                                       .dy = dy.ptr(),
                                       .dx = dx ? dx.tensor.data<T>() + x.first : nullptr,
                                       .dx_stride = x.of.cols(),
                                       .accumulate_dx = dx.accumulate,
                                       .dprojections = {dfirst.ptr(), dsecond.ptr()}});
    });
  });
  return y;
}

}  // namespace dragoman
