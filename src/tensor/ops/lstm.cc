#include <optional>

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
    check(!dgates.accumulate, "[lstm_cell] the gates were overwritten and may not be used elsewhere");
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
          "[gru_cell] the gates were overwritten and may not be used elsewhere");
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

namespace {

// One run of a layer over whole sentences: its inputs, its results and the values saved for backward.
struct LayerRun {
  LstmInput in;
  LstmOutput out;
  Tensor c;  // [N, hidden]

  template <class T>
  kernels::LstmLayer<T> arguments(const Segments& rows, const TimeOrder& time, const ops::Scratch& workspace) const {
    return {.sentences = rows.count(),
            .hidden = in.weight.cols(),
            .steps = std::ssize(time.active),
            .offsets = rows.offsets().ptr(),
            .order = time.order.ptr(),
            .active = time.active.data(),
            .reverse = in.reverse,
            .gates = in.gates.ptr(),
            .weight = in.weight.ptr(),
            .h_first = in.first.h.ptr(),
            .c_first = in.first.c.ptr(),
            .h = out.h.ptr(),
            .c = c.ptr(),
            .h_last = out.last.h.ptr(),
            .c_last = out.last.c.ptr(),
            .workspace = workspace.ptr()};
  }
  Shape workspace() const { return {out.last.h.rows(), 6 * out.h.cols()}; }
};

// The gradients that the backward of a layer reads and writes.
struct LayerGradients {
  Tensor dh, dh_last, dc_last;
  Sink dgates, dh_first, dc_first;
  ops::StatSink dweight;
  ops::Scratch unwanted, h_before, workspace;

  LayerGradients(Context& cx, const LayerRun& layer)
      : dh(arrived(cx, layer.out.h)),
        dh_last(arrived(cx, layer.out.last.h)),
        dc_last(arrived(cx, layer.out.last.c)),
        dgates(cx.sink(layer.in.gates)),
        dh_first(cx.sink(layer.in.first.h)),
        dc_first(cx.sink(layer.in.first.c)),
        dweight(cx, layer.in.weight),
        unwanted(cx, layer.out.h.dtype(), dgates ? Shape{0} : layer.in.gates.shape()),
        h_before(cx, layer.out.h.dtype(), layer.out.h.shape()),
        workspace(cx, layer.out.h.dtype(), layer.workspace()) {
    check(!dgates.accumulate, "[lstm_layer] the gates were overwritten and may not be used elsewhere");
  }

  template <class T>
  kernels::LstmLayerBackward<T> arguments(const LayerRun& layer, const Segments& rows, const TimeOrder& time) const {
    return {.forward = layer.arguments<T>(rows, time, workspace),
            .dh = dh.ptr(),
            .dh_last = dh_last.ptr(),
            .dc_last = dc_last.ptr(),
            .dgates = dgates ? dgates.ptr() : unwanted.ptr(),
            .h_before = h_before.ptr(),
            .dweight = dweight.ptr(),
            .dh_first = dh_first.ptr(),
            .dc_first = dc_first.ptr(),
            .accumulate_dh_first = dh_first.accumulate,
            .accumulate_dc_first = dc_first.accumulate};
  }

 private:
  static Tensor arrived(const Context& cx, const Tensor& t) {
    return t.gradient()->written ? cx.gradient(t) : Tensor();
  }
};

LayerRun prepare_layer(Context& cx, const LstmInput& in, const Segments& rows, const TimeOrder& time) {
  constexpr const char* op = "lstm_layer";
  const std::initializer_list<Tensor> inputs = {in.gates, in.weight, in.first.h, in.first.c};
  ops::enter(op, cx, inputs);
  const Size hidden = in.weight.cols();
  check(in.weight.rows() == 4 * hidden && in.gates.cols() == 4 * hidden,
        "[{}] gates {} do not fit weight {}: expected [4 hidden, hidden] and four times its columns", op,
        in.gates.shape(), in.weight.shape());
  check(in.gates.rows() == rows.total() && std::ssize(time.active) == rows.longest(),
        "[{}] gates {} do not fit: expected {} rows in {} steps", op, in.gates.shape(), rows.total(), rows.longest());
  const Shape state{rows.count(), hidden};
  for (const Tensor& given : {in.first.h, in.first.c})
    check(!given.defined() || given.shape() == state, "[{}] first state {} does not fit: expected {}", op,
          given.shape(), state);
  const DType type = in.gates.dtype();
  const Shape all{rows.total(), hidden};
  LstmInput used = in;
  used.weight = plain_weight(cx, in.weight);
  return {used,
          {ops::result(cx, type, all, inputs),
           {ops::result(cx, type, state, inputs), ops::result(cx, type, state, inputs)}},
          cx.empty(type, all)};
}

void run_layers(Context& cx, const LayerRun& one, const LayerRun* other, const Segments& rows, const TimeOrder& time) {
  const DType type = one.out.h.dtype();
  const ops::Scratch workspace(cx, type, one.workspace()), more(cx, type, other ? other->workspace() : Shape{0});
  cx.run(type, [&]<class T>(const kernels::Kernels<T>& k) {
    auto layer = one.arguments<T>(rows, time, workspace);
    kernels::LstmLayer<T> beside;
    if (other) layer.beside = &(beside = other->arguments<T>(rows, time, more));
    k.lstm_layer(layer);
  });
  for (const LayerRun* layer : {&one, other})
    if (layer) ops::leave("lstm_layer", cx, {layer->out.h, layer->out.last.h, layer->out.last.c});
}

void run_layers_backward(Context& cx, const LayerRun& one, const LayerRun* other, const Segments& rows,
                         const TimeOrder& time) {
  const LayerGradients gradients(cx, one);
  std::optional<LayerGradients> more;
  if (other) more.emplace(cx, *other);
  cx.run(one.out.h.dtype(), [&]<class T>(const kernels::Kernels<T>& k) {
    auto layer = gradients.arguments<T>(one, rows, time);
    kernels::LstmLayerBackward<T> beside;
    if (other) layer.beside = &(beside = more->arguments<T>(*other, rows, time));
    k.lstm_layer_backward(layer);
  });
}

}  // namespace

LstmOutput lstm_layer(Context& cx, const LstmInput& in, const Segments& rows, const TimeOrder& time) {
  const LayerRun layer = prepare_layer(cx, in, rows, time);
  const LstmOutput& out = layer.out;
  run_layers(cx, layer, nullptr, rows, time);
  if (out.h.tracked())
    cx.record("lstm_layer", {out.h, out.last.h, out.last.c},
              [layer, rows, time](Context& back) { run_layers_backward(back, layer, nullptr, rows, time); });
  return out;
}

std::pair<LstmOutput, LstmOutput> lstm_layers(Context& cx, const LstmInput& first, const LstmInput& second,
                                              const Segments& rows, const TimeOrder& time) {
  const LayerRun one = prepare_layer(cx, first, rows, time), other = prepare_layer(cx, second, rows, time);
  const LstmOutput &a = one.out, &b = other.out;
  check(a.h.cols() == b.h.cols() && a.h.tracked() == b.h.tracked(),
        "[lstm_layers] layers with weights {} and {} differ in size", first.weight.shape(), second.weight.shape());
  run_layers(cx, one, &other, rows, time);
  if (a.h.tracked())
    cx.record("lstm_layers", {a.h, a.last.h, a.last.c, b.h, b.last.h, b.last.c},
              [one, other, rows, time](Context& back) { run_layers_backward(back, one, &other, rows, time); });
  return {a, b};
}

}  // namespace dragoman
