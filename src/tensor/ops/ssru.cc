#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {
namespace {

// One run of a layer: its inputs, its results and the states saved for backward.
struct SsruRun {
  Tensor gates, first;
  SsruOutput out;
  Tensor c;  // [N, hidden]; undefined if no gradient is needed
  Segments rows;

  template <class T>
  kernels::Ssru<T> arguments() const {
    return {.sentences = rows.count(),
            .rows = rows.total(),
            .hidden = out.h.cols(),
            .offsets = rows.offsets().ptr(),
            .gates = gates.ptr(),
            .c_first = first.ptr(),
            .h = out.h.ptr(),
            .c = c.ptr(),
            .c_last = out.last.ptr()};
  }
};

void ssru_backward(Context& cx, const SsruRun& run) {
  const auto arrived = [&](const Tensor& t) { return t.gradient()->written ? cx.gradient(t) : Tensor(); };
  const Tensor dh = arrived(run.out.h), dc_last = arrived(run.out.last);
  const Sink dgates = cx.sink(run.gates), dc_first = cx.sink(run.first);
  cx.run(run.gates.dtype(), [&]<class T>(const kernels::Kernels<T>& k) {
    k.ssru_backward({.forward = run.arguments<T>(),
                     .dh = dh.ptr(),
                     .dc_last = dc_last.ptr(),
                     .dgates = dgates.ptr(),
                     .dc_first = dc_first.ptr(),
                     .accumulate_dgates = dgates.accumulate,
                     .accumulate_dc_first = dc_first.accumulate});
  });
}

}  // namespace

SsruOutput ssru(Context& cx, const Tensor& gates, const Tensor& first, const Segments& rows) {
  constexpr const char* op = "ssru";
  ops::enter(op, cx, {gates});
  ops::enter(op, cx, {first});
  const Size hidden = gates.cols() / 2;
  check(gates.cols() == 2 * hidden && gates.rows() == rows.total(),
        "[{}] gates {} do not fit: expected {} rows and an even number of columns", op, gates.shape(), rows.total());
  const DType state = stat_of(gates.dtype());
  const Shape states{rows.count(), hidden}, all{rows.total(), hidden};
  check(!first.defined() || (first.shape() == states && first.dtype() == state),
        "[{}] first state {} of {} does not fit: expected {} of {}", op, first.shape(), name_of(first.dtype()), states,
        name_of(state));
  SsruRun run{gates,
              first,
              {ops::result(cx, gates.dtype(), all, {gates, first}), ops::result(cx, state, states, {gates, first})},
              {},
              rows};
  if (run.out.h.tracked()) run.c = cx.empty(state, all);
  cx.run(gates.dtype(), [&]<class T>(const kernels::Kernels<T>& k) { k.ssru(run.arguments<T>()); });
  ops::leave(op, cx, {run.out.h, run.out.last});
  if (run.out.h.tracked()) cx.record(op, {run.out.h, run.out.last}, [run](Context& back) { ssru_backward(back, run); });
  return run.out;
}

}  // namespace dragoman
