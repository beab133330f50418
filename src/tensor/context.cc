#include "tensor/context.h"

#include <algorithm>
#include <utility>

namespace dragoman {

Context Context::training(Workspace& workspace, std::uint64_t seed, std::uint64_t step) {
  Context cx(workspace);
  cx.recording_ = true;
  cx.dropping_ = true;
  cx.key_ = {seed, step << 20};
  return cx;
}

kernels::Dropout Context::next_dropout(double rate) {
  check(rate >= 0 && rate < 1, "[dropout] expected a rate from 0 to below 1 but got {}", rate);
  if (!dropping_ || rate == 0) return {};
  return {rate, {key_.seed, key_.stream + draws_++}};
}

Tensor Context::empty(DType type, Shape shape) const {
  Tensor tensor(nullptr, type, shape, device());
  tensor = Tensor(arena().allocate(tensor.bytes()), type, shape, device());
  tensor.set_generation(arena().generation());
  return tensor;
}

Tensor Context::zeros(DType type, Shape shape) const {
  const Tensor tensor = empty(type, shape);
  tensor.clear();
  return tensor;
}

Tensor Context::from_numbers(DType type, std::span<const double> values, Shape shape) const {
  const Tensor tensor = empty(type, shape);
  check(shape.count() == std::ssize(values), "[from_numbers] {} values do not fill {}", values.size(), shape);
  tensor.write(values);
  return tensor;
}

void Context::copy(const Tensor& from, const Tensor& to) const {
  check(from.count() == to.count() && from.dtype() == to.dtype(), "[copy] {} of {} does not fit {} of {}", from.shape(),
        name_of(from.dtype()), to.shape(), name_of(to.dtype()));
  if (device().on_host()) return device().copy_from_host(to.raw(), from.raw(), from.bytes());
  run(from.dtype(), [&](const auto& k) { k.combine({.count = from.count(), .a = from.ptr(), .y = to.ptr()}); });
}

Tensor Context::track(Tensor tensor) const {
  if (recording_) tensor.set_gradient(new (host().allocate(sizeof(Gradient))) Gradient);
  return tensor;
}

Tensor Context::gradient(const Tensor& tensor) const {
  check(tensor.tracked(), "[gradient] the tensor {} has no gradient: nothing was recorded for it", tensor.shape());
  workspace_.tape.note_contribution(tensor);
  Gradient& gradient = *tensor.gradient();
  if (!gradient.data) {
    gradient.data = arena().allocate(tensor.gradient_bytes());
    gradient.written = false;
  }
  Tensor result(gradient.data, tensor.gradient_type(), tensor.shape(), tensor.device());
  if (!gradient.written) {
    result.clear();
    gradient.written = true;
  }
  return result;
}

Sink Context::sink(const Tensor& tensor) const {
  if (!tensor.tracked()) return {};
  workspace_.tape.note_contribution(tensor);
  Gradient& gradient = *tensor.gradient();
  if (!gradient.data) gradient.data = arena().allocate(tensor.gradient_bytes());
  const bool accumulate = std::exchange(gradient.written, true);
  return {Tensor(gradient.data, tensor.gradient_type(), tensor.shape(), tensor.device()), accumulate};
}

void Context::seed(const Tensor& tensor, std::span<const double> values) const {
  check(std::ssize(values) == tensor.count(), "[seed] {} values do not fill {}", values.size(), tensor.shape());
  std::vector<double> sums = gradient(tensor).to_host<double>();
  std::transform(sums.begin(), sums.end(), values.begin(), sums.begin(), std::plus<>());
  gradient(tensor).write(sums);
}

}  // namespace dragoman
