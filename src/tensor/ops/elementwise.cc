#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {
namespace {

void check_same(const char* op, const Tensor& a, const Tensor& b) {
  check(a.shape() == b.shape(), "[{}] {} and {} are not the same", op, a.shape(), b.shape());
}

// sink (+)= factor * x.
void pass_on(const Context& cx, const Sink& sink, double factor, const Tensor& x) {
  if (!sink) return;
  cx.run(x.dtype(), [&]<class T>(const kernels::Kernels<T>& k) {
    const T* before = sink.accumulate ? sink.tensor.data<T>() : nullptr;
    k.combine({.count = x.count(), .alpha = factor, .beta = 1, .a = x.ptr(), .b = before, .y = sink.ptr()});
  });
}

}  // namespace

Tensor activate(Context& cx, const Tensor& x, Activation activation) {
  constexpr const char* op = "activate";
  ops::enter(op, cx, {x});
  const Tensor y = ops::result(cx, x.dtype(), x.shape(), {x});
  cx.run(x.dtype(), [&](const auto& k) {
    k.activate({.count = x.count(), .activation = activation, .x = x.ptr(), .y = y.ptr()});
  });
  ops::leave(op, cx, {y});
  if (!y.tracked()) return y;
  const Tensor saved = kernels::needs_input(activation) ? x : y;
  cx.record(op, {y}, [x, y, saved, activation](Context& back) {
    const Tensor dy = back.gradient(y);
    const Sink dx = back.sink(x);
    back.run(x.dtype(), [&](const auto& k) {
      k.activate_backward({.count = x.count(),
                           .activation = activation,
                           .saved = saved.ptr(),
                           .dy = dy.ptr(),
                           .dx = dx.ptr(),
                           .accumulate_dx = dx.accumulate});
    });
  });
  return y;
}

Tensor add(Context& cx, const Tensor& a, const Tensor& b, double alpha, double beta) {
  constexpr const char* op = "add";
  ops::enter(op, cx, {a, b});
  check_same(op, a, b);
  const Tensor y = ops::result(cx, a.dtype(), a.shape(), {a, b});
  cx.run(a.dtype(), [&](const auto& k) {
    k.combine({.count = a.count(), .alpha = alpha, .beta = beta, .a = a.ptr(), .b = b.ptr(), .y = y.ptr()});
  });
  ops::leave(op, cx, {y});
  if (y.tracked())
    cx.record(op, {y}, [a, b, y, alpha, beta](Context& back) {
      const Tensor dy = back.gradient(y);
      pass_on(back, back.sink(a), alpha, dy);
      pass_on(back, back.sink(b), beta, dy);
    });
  return y;
}

Tensor scale(Context& cx, const Tensor& x, double factor) {
  constexpr const char* op = "scale";
  ops::enter(op, cx, {x});
  const Tensor y = ops::result(cx, x.dtype(), x.shape(), {x});
  cx.run(x.dtype(), [&](const auto& k) {
    k.combine({.count = x.count(), .alpha = factor, .a = x.ptr(), .b = nullptr, .y = y.ptr()});
  });
  ops::leave(op, cx, {y});
  if (y.tracked())
    cx.record(op, {y}, [x, y, factor](Context& back) { pass_on(back, back.sink(x), factor, back.gradient(y)); });
  return y;
}

Tensor multiply(Context& cx, const Tensor& a, const Tensor& b) {
  constexpr const char* op = "multiply";
  ops::enter(op, cx, {a, b});
  check_same(op, a, b);
  const auto product = [](const Context& on, const Tensor& left, const Tensor& right, const Sink& to) {
    if (!to) return;
    on.run(left.dtype(), [&](const auto& k) {
      k.multiply(
          {.count = left.count(), .a = left.ptr(), .b = right.ptr(), .y = to.ptr(), .accumulate = to.accumulate});
    });
  };
  const Tensor y = ops::result(cx, a.dtype(), a.shape(), {a, b});
  product(cx, a, b, {y, false});
  ops::leave(op, cx, {y});
  if (y.tracked())
    cx.record(op, {y}, [a, b, y, product](Context& back) {
      const Tensor dy = back.gradient(y);
      product(back, dy, b, back.sink(a));
      product(back, dy, a, back.sink(b));
    });
  return y;
}

Tensor dropout(Context& cx, const Tensor& x, double rate) {
  constexpr const char* op = "dropout";
  ops::enter(op, cx, {x});
  const kernels::Dropout drop = cx.next_dropout(rate);
  if (drop.rate == 0) return x;
  const auto apply = [drop](const Context& on, const Tensor& from, const Sink& to) {
    on.run(from.dtype(), [&](const auto& k) {
      k.dropout({.rows = from.rows(),
                 .cols = from.cols(),
                 .dropout = drop,
                 .x = from.ptr(),
                 .y = to.ptr(),
                 .accumulate = to.accumulate});
    });
  };
  const Tensor y = ops::result(cx, x.dtype(), x.shape(), {x});
  apply(cx, x, {y, false});
  ops::leave(op, cx, {y});
  if (y.tracked()) cx.record(op, {y}, [x, y, apply](Context& back) { apply(back, back.gradient(y), back.sink(x)); });
  return y;
}

Tensor rotate(Context& cx, const Columns& x, Size heads, const Tensor& position_ids) {
  constexpr const char* op = "rotate";
  ops::enter(op, cx, {x.of, position_ids});
  check(heads > 0 && x.count % (2 * heads) == 0 && x.first + x.count <= x.of.cols(),
        "[{}] columns {} to {} of {} do not divide into {} heads of an even size", op, x.first, x.first + x.count,
        x.of.shape(), heads);
  check(position_ids.dtype() == DType::i32 && position_ids.count() == x.of.rows(),
        "[{}] positions {} do not fit {}: expected one for each row", op, position_ids.shape(), x.of.shape());
  const Tensor y = ops::result(cx, x.of.dtype(), {x.of.rows(), x.count}, {x.of});
  const Columns all = y;
  const auto turn = [heads, position_ids](const Context& on, const Columns& from, const Columns& to, bool back) {
    on.run(from.of.dtype(), [&]<class T>(const kernels::Kernels<T>& k) {
      k.rotate({.rows = from.of.rows(),
                .heads = heads,
                .size = from.count / heads,
                .position = position_ids.ptr(),
                .x = from.of.data<T>() + from.first,
                .x_stride = from.of.cols(),
                .y = to.of.data<T>() + to.first,
                .y_stride = to.of.cols(),
                .inverse = back,
                .accumulate = back});
    });
  };
  turn(cx, x, all, false);
  if (y.tracked())
    cx.record(op, {y}, [x, y, turn](Context& back) {
      turn(back, back.gradient(y), {back.gradient(x.of), x.first, x.count}, true);
    });
  return y;
}

Tensor to_bf16(Context& cx, const Columns& x) {
  ops::enter("to_bf16", cx, {x.of});
  const bool whole = x.count == x.of.cols();
  const Tensor y = cx.empty(DType::bf16, whole ? x.of.shape() : Shape{x.of.rows(), x.count});
  const Size pieces = whole ? 1 : x.of.rows(), size = whole ? x.of.count() : x.count;
  cx.run(x.of.dtype(), [&]<class T>(const kernels::Kernels<T>& k) {
    for (Size i = 0; i < pieces; ++i)
      k.to_bf16(
          {.count = size, .x = x.of.data<T>() + i * x.of.cols() + x.first, .y = y.data<kernels::bf16>() + i * x.count});
  });
  return y;
}

Tensor from_bf16(Context& cx, const Tensor& x) {
  ops::enter("from_bf16", cx, {x});
  const Tensor y = cx.empty(DType::f32, x.shape());
  cx.run(DType::f32, [&]<class T>(const kernels::Kernels<T>& k) {
    if constexpr (std::is_same_v<T, float>) k.from_bf16({.count = x.count(), .x = x.ptr(), .y = y.ptr()});
  });
  return y;
}

}  // namespace dragoman
