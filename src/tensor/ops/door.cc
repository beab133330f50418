#include "tensor/ops/door.h"

namespace dragoman::ops {

void enter(const char* op, const Context& cx, std::initializer_list<Tensor> inputs) {
  const Tensor* first = nullptr;
  for (const Tensor& input : inputs) {
    if (!input.defined()) continue;
    check(&input.device() == &cx.device(), "[{}] {} lives on {} but the computation runs on {}", op, input.shape(),
          input.device().name(), cx.device().name());
    check(input.alive(), "[{}] {} is from before its arena was reset", op, input.shape());
    if (input.dtype() == DType::i32) continue;
    if (!first) first = &input;
    check(input.dtype() == first->dtype(), "[{}] {} of {} does not go with {} of {}", op, first->shape(),
          name_of(first->dtype()), input.shape(), name_of(input.dtype()));
  }
}

void check_ids(const char* op, const Tensor& ids, Size limit) {
  check(ids.dtype() == DType::i32, "[{}] expected ids of type i32 but got {}", op, name_of(ids.dtype()));
  if (!ids.device().on_host()) return;
  const std::int32_t* values = ids.ptr();
  for (Size i = 0; i < ids.count(); ++i)
    check(values[i] >= 0 && values[i] < limit, "[{}] id {} at place {} of {} is outside 0 .. {}", op, values[i], i,
          ids.shape(), limit - 1);
}

bool any_tracked(std::initializer_list<Tensor> inputs) {
  for (const Tensor& input : inputs)
    if (input.tracked()) return true;
  return false;
}

Tensor result(const Context& cx, DType type, Shape shape, std::initializer_list<Tensor> inputs) {
  const Tensor tensor = cx.empty(type, shape);
  return cx.recording() && any_tracked(inputs) ? cx.track(tensor) : tensor;
}

void leave(const char* op, const Context& cx, std::initializer_list<Tensor> outputs) {
  if (!cx.checked()) return;
  for (const Tensor& output : outputs) {
    if (!output.defined()) continue;
    bool finite = true;
    cx.run(output.dtype(),
           [&](const auto& k) { k.all_finite({.count = output.count(), .x = output.ptr(), .result = &finite}); });
    check(finite, "[{}] gave NaN or infinity in its result {}", op, output.shape());
  }
}

}  // namespace dragoman::ops
