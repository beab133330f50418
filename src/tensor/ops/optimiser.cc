#include "tensor/ops.h"

namespace dragoman {
namespace {

void check_flat(const char* op, const Tensor& weight, std::initializer_list<Tensor> others) {
  for (const Tensor& other : others) {
    if (!other.defined()) continue;
    check(other.count() == weight.count() && other.dtype() == weight.dtype() && &other.device() == &weight.device(),
          "[{}] {} of {} on {} does not fit weights {} of {} on {}", op, other.shape(), name_of(other.dtype()),
          other.device().name(), weight.shape(), name_of(weight.dtype()), weight.device().name());
  }
}

template <class F>
void run(const Tensor& weight, F&& f) {
  switch (weight.dtype()) {
    case DType::f32: return f(weight.device().kernels<float>());
    case DType::f64: return f(weight.device().kernels<double>());
    default: fail("[optimiser] weights are f32 or f64, not {}", name_of(weight.dtype()));
  }
}

}  // namespace

void add_sum(const Tensor& x, double scale, const Tensor& to) {
  const auto add = [&](const auto& k) {
    k.add_sum({.count = x.count(), .x = x.ptr(), .scale = scale, .to = to.ptr()});
  };
  if (x.dtype() == DType::bf16)
    add(x.device().kernels<kernels::bf16>());
  else
    run(x, add);
}

void sum_squares(const Tensor& gradient, const Tensor& to) {
  run(gradient,
      [&](const auto& k) { k.sum_squares({.count = gradient.count(), .x = gradient.ptr(), .result = to.ptr()}); });
}

void adam_step(const Tensor& weight, const Tensor& gradient, const AdamMoments& moments, const AdamSettings& settings,
               double rate, Size step, const Clip& clip, const Tensor& copy) {
  check_flat("adam", weight, {gradient, moments.first, moments.second});
  check(step >= 1, "[adam] steps count from 1, got {}", step);
  run(weight, [&](const auto& k) {
    k.adam({.count = weight.count(),
            .weight = weight.ptr(),
            .gradient = gradient.ptr(),
            .first = moments.first.ptr(),
            .second = moments.second.ptr(),
            .copy = copy.ptr(),
            .rate = rate,
            .beta1 = settings.beta1,
            .beta2 = settings.beta2,
            .epsilon = settings.epsilon,
            .weight_decay = settings.weight_decay,
            .decoupled = settings.decoupled,
            .step = step,
            .clip = {clip.squares.ptr(), clip.limit}});
  });
}

void sgd_step(const Tensor& weight, const Tensor& gradient, const Tensor& velocity, const SgdSettings& settings,
              double rate, const Clip& clip, const Tensor& copy) {
  check_flat("sgd", weight, {gradient, velocity});
  run(weight, [&](const auto& k) {
    k.sgd({.count = weight.count(),
           .weight = weight.ptr(),
           .gradient = gradient.ptr(),
           .velocity = velocity.ptr(),
           .copy = copy.ptr(),
           .rate = rate,
           .momentum = settings.momentum,
           .weight_decay = settings.weight_decay,
           .clip = {clip.squares.ptr(), clip.limit}});
  });
}

}  // namespace dragoman
