#include "tensor/ops/door.h"

#include <numeric>

namespace dragoman::ops {

using kernels::Kernels;

void enter(const char* op, const Context& cx, std::initializer_list<Tensor> inputs) {
  const Tensor* first = nullptr;
  for (const Tensor& input : inputs) {
    if (!input.defined()) continue;
    check(&input.device() == &cx.device(), "[{}] {} is on {} but the computation runs on {}", op, input.shape(),
          input.device().name(), cx.device().name());
    check(input.alive(), "[{}] {} is from before its arena was reset", op, input.shape());
    if (input.dtype() == DType::i32) continue;
    if (!first) first = &input;
    check(input.dtype() == first->dtype(), "[{}] {} of {} does not match {} of {}", op, first->shape(),
          name_of(first->dtype()), input.shape(), name_of(input.dtype()));
  }
  cx.note_uses(inputs);
}

void check_ids(const char* op, const Tensor& ids, Size limit) {
  check(ids.dtype() == DType::i32, "[{}] expected ids of type i32 but got {}", op, name_of(ids.dtype()));
  if (!ids.device().on_host()) return;
  const std::int32_t* values = ids.ptr();
  for (Size i = 0; i < ids.count(); ++i)
    check(values[i] >= 0 && values[i] < limit, "[{}] id {} at place {} of {} is outside 0 .. {}", op, values[i], i,
          ids.shape(), limit - 1);
}

Tensor counted(const Context& cx, Size count) {
  const std::span<std::int32_t> numbers = cx.host_array<std::int32_t>(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return cx.from_host<std::int32_t>(numbers, {count});
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

SinkAs::SinkAs(const Context& cx, const Tensor& tensor, DType type) : cx_(cx) {
  if (!tensor.tracked()) return;
  gradient_ = cx.gradient(tensor);
  room_ = gradient_.dtype() == type ? gradient_ : cx.zeros(type, tensor.shape());
}

SinkAs::~SinkAs() {
  if (room_.raw() == gradient_.raw()) return;
  // One of the two is f32, the other bf16.
  const Kernels<float>& f32 = cx_.device().kernels<float>();
  const Size count = room_.count();
  const bool widens = gradient_.dtype() == DType::f32;
  const Scratch wide(cx_, DType::f32, room_.shape());
  f32.from_bf16({.count = count, .x = widens ? room_.ptr() : gradient_.ptr(), .y = wide.ptr()});
  const float* both[] = {wide.ptr(), widens ? gradient_.ptr() : room_.ptr()};
  float* sum = widens ? gradient_.ptr() : wide.ptr();
  f32.combine({.count = count, .a = both[0], .b = both[1], .y = sum});
  if (!widens) f32.to_bf16({.count = count, .x = sum, .y = gradient_.ptr()});
  cx_.release(room_);
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
