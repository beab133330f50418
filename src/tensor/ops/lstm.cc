#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {

LstmState lstm_cell(Context& cx, const Tensor& gates, const Tensor& c_before) {
  constexpr const char* op = "lstm_cell";
  ops::enter(op, cx, {gates, c_before});
  const Size hidden = c_before.cols(), rows = gates.rows();
  check(gates.cols() == 4 * hidden && c_before.rows() == rows,
        "[{}] gates {} do not fit cell state {}: expected the same rows and four times the columns", op, gates.shape(),
        c_before.shape());
  const Tensor h = ops::result(cx, gates.dtype(), c_before.shape(), {gates, c_before});
  const Tensor c = ops::result(cx, gates.dtype(), c_before.shape(), {gates, c_before});
  cx.run(gates.dtype(), [&](const auto& k) {
    k.lstm_cell(
        {.rows = rows, .hidden = hidden, .gates = gates.ptr(), .c_before = c_before.ptr(), .h = h.ptr(), .c = c.ptr()});
  });
  ops::leave(op, cx, {h, c});
  if (!h.tracked()) return {h, c};
  cx.record(op, {h, c}, [gates, c_before, h, c](Context& back) {
    const Tensor dh = h.gradient()->written ? back.gradient(h) : Tensor();
    const Tensor dc = c.gradient()->written ? back.gradient(c) : Tensor();
    const Sink dgates = back.sink(gates), dc_before = back.sink(c_before);
    check(!dgates.accumulate, "[lstm_cell] the gates were taken over and may not be used elsewhere");
    const ops::Scratch unwanted(back, gates.dtype(), dgates ? Shape{0} : gates.shape());
    back.run(gates.dtype(), [&](const auto& k) {
      k.lstm_cell_backward({.rows = gates.rows(),
                            .hidden = c.cols(),
                            .gates = gates.ptr(),
                            .c_before = c_before.ptr(),
                            .c = c.ptr(),
                            .dh = dh.ptr(),
                            .dc = dc.ptr(),
                            .dgates = dgates ? dgates.ptr() : unwanted.ptr(),
                            .dc_before = dc_before.ptr(),
                            .accumulate_dc_before = dc_before.accumulate});
    });
  });
  return {h, c};
}

Tensor gru_cell(Context& cx, const Tensor& x_gates, const Tensor& h_gates, const Tensor& h_before) {
  constexpr const char* op = "gru_cell";
  ops::enter(op, cx, {x_gates, h_gates, h_before});
  const Shape gates{h_before.rows(), 3 * h_before.cols()};
  check(x_gates.shape() == gates && h_gates.shape() == gates,
        "[{}] gates {} and {} do not fit state {}: expected {} for both", op, x_gates.shape(), h_gates.shape(),
        h_before.shape(), gates);
  const Tensor h = ops::result(cx, h_before.dtype(), h_before.shape(), {x_gates, h_gates, h_before});
  cx.run(h.dtype(), [&](const auto& k) {
    k.gru_cell({.rows = h.rows(),
                .hidden = h.cols(),
                .x_gates = x_gates.ptr(),
                .h_gates = h_gates.ptr(),
                .h_before = h_before.ptr(),
                .h = h.ptr()});
  });
  ops::leave(op, cx, {h});
  if (!h.tracked()) return h;
  cx.record(op, {h}, [x_gates, h_gates, h_before, h](Context& back) {
    const Tensor dh = back.gradient(h);
    const Sink dx_gates = back.sink(x_gates), dh_gates = back.sink(h_gates), dh_before = back.sink(h_before);
    check(!dx_gates.accumulate && !dh_gates.accumulate,
          "[gru_cell] the gates were taken over and may not be used elsewhere");
    const ops::Scratch unwanted_x(back, h.dtype(), dx_gates ? Shape{0} : x_gates.shape()),
        unwanted_h(back, h.dtype(), dh_gates ? Shape{0} : h_gates.shape());
    back.run(h.dtype(), [&](const auto& k) {
      k.gru_cell_backward({.rows = h.rows(),
                           .hidden = h.cols(),
                           .x_gates = x_gates.ptr(),
                           .h_gates = h_gates.ptr(),
                           .h_before = h_before.ptr(),
                           .dh = dh.ptr(),
                           .dx_gates = dx_gates ? dx_gates.ptr() : unwanted_x.ptr(),
                           .dh_gates = dh_gates ? dh_gates.ptr() : unwanted_h.ptr(),
                           .dh_before = dh_before.ptr(),
                           .accumulate_dh_before = dh_before.accumulate});
    });
  });
  return h;
}

LstmOutput lstm_layer(Context& cx, const Tensor& gates, const Tensor& weight, const Segments& rows,
                      const TimeOrder& time, const LstmState& first, bool reverse) {
  constexpr const char* op = "lstm_layer";
  ops::enter(op, cx, {gates, weight, first.h, first.c});
  const Size hidden = weight.cols(), sentences = rows.count();
  check(weight.rows() == 4 * hidden && gates.cols() == 4 * hidden,
        "[{}] gates {} do not fit weight {}: expected [4 hidden, hidden] and four times its columns", op, gates.shape(),
        weight.shape());
  check(gates.rows() == rows.total() && std::ssize(time.active) == rows.longest(),
        "[{}] gates {} do not fit: expected {} rows in {} steps", op, gates.shape(), rows.total(), rows.longest());
  const Shape state{sentences, hidden};
  for (const Tensor& given : {first.h, first.c})
    check(!given.defined() || given.shape() == state, "[{}] first state {} does not fit: expected {}", op,
          given.shape(), state);

  const DType type = gates.dtype();
  const std::initializer_list<Tensor> inputs = {gates, weight, first.h, first.c};
  const Tensor h = ops::result(cx, type, {rows.total(), hidden}, inputs);
  const Tensor h_last = ops::result(cx, type, state, inputs), c_last = ops::result(cx, type, state, inputs);
  const Tensor c = cx.empty(type, {rows.total(), hidden});
  const auto arguments = [=]<class T>(const kernels::Kernels<T>&, const ops::Scratch& workspace) {
    return kernels::LstmLayer<T>{.sentences = sentences,
                                 .hidden = hidden,
                                 .steps = std::ssize(time.active),
                                 .offsets = rows.offsets().ptr(),
                                 .order = time.order.ptr(),
                                 .active = time.active.data(),
                                 .reverse = reverse,
                                 .gates = gates.ptr(),
                                 .weight = weight.ptr(),
                                 .h_first = first.h.ptr(),
                                 .c_first = first.c.ptr(),
                                 .h = h.ptr(),
                                 .c = c.ptr(),
                                 .h_last = h_last.ptr(),
                                 .c_last = c_last.ptr(),
                                 .workspace = workspace.ptr()};
  };
  {
    const ops::Scratch workspace(cx, type, {sentences, 6 * hidden});
    cx.run(type, [&](const auto& k) { k.lstm_layer(arguments(k, workspace)); });
  }
  ops::leave(op, cx, {h, h_last, c_last});
  if (!h.tracked()) return {h, {h_last, c_last}};
  cx.record(op, {h, h_last, c_last}, [arguments, type, gates, weight, first, h, h_last, c_last](Context& back) {
    const auto arrived = [&](const Tensor& t) { return t.gradient()->written ? back.gradient(t) : Tensor(); };
    const Tensor dh = arrived(h), dh_last = arrived(h_last), dc_last = arrived(c_last);
    const Sink dgates = back.sink(gates), dh_first = back.sink(first.h), dc_first = back.sink(first.c);
    check(!dgates.accumulate, "[lstm_layer] the gates were taken over and may not be used elsewhere");
    const ops::StatSink dweight(back, weight);
    const ops::Scratch unwanted(back, type, dgates ? Shape{0} : gates.shape()), h_before(back, type, h.shape()),
        workspace(back, type, {h_last.rows(), 6 * h.cols()});
    back.run(type, [&](const auto& k) {
      k.lstm_layer_backward({.forward = arguments(k, workspace),
                             .dh = dh.ptr(),
                             .dh_last = dh_last.ptr(),
                             .dc_last = dc_last.ptr(),
                             .dgates = dgates ? dgates.ptr() : unwanted.ptr(),
                             .h_before = h_before.ptr(),
                             .dweight = dweight.ptr(),
                             .dh_first = dh_first.ptr(),
                             .dc_first = dc_first.ptr(),
                             .accumulate_dh_first = dh_first.accumulate,
                             .accumulate_dc_first = dc_first.accumulate});
    });
  });
  return {h, {h_last, c_last}};
}

}  // namespace dragoman
