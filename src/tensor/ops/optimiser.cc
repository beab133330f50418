#include <cmath>

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

double gradient_norm(const Tensor& gradient) {
  double squares = 0;
  run(gradient,
      [&](const auto& k) { k.sum_squares({.count = gradient.count(), .x = gradient.ptr(), .result = &squares}); });
  return std::sqrt(squares);
}

double clipping_factor(double norm, double limit) { return limit > 0 && norm > limit ? limit / norm : 1; }

void adam_step(const Tensor& weight, const Tensor& gradient, const AdamMoments& moments, const AdamSettings& settings,
               double rate, Size step, double gradient_scale, const Tensor& copy) {
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
            .gradient_scale = gradient_scale});
  });
}

void sgd_step(const Tensor& weight, const Tensor& gradient, const Tensor& velocity, const SgdSettings& settings,
              double rate, double gradient_scale, const Tensor& copy) {
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
           .gradient_scale = gradient_scale});
  });
}

}  // namespace dragoman
