#include <cmath>

#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

template <class T>
void sum_squares(const SumSquares<T>& a) {
  double sum = 0;
  for (Size e = 0; e < a.count; ++e) sum += static_cast<double>(a.x[e]) * static_cast<double>(a.x[e]);
  *a.result = sum;
}

template <class T>
void add_sum(const AddSum<T>& a) {
  double sum = 0;
  for (Size e = 0; e < a.count; ++e) sum += static_cast<double>(a.x[e]);
  *a.to += a.scale * sum;
}

template <class T>
void adam(const Adam<T>& a) {
  using S = Stat<T>;
  const auto scale = static_cast<S>(clipping_factor(a.clip));
  const auto beta1 = static_cast<S>(a.beta1), beta2 = static_cast<S>(a.beta2);
  const double correction1 = 1 - std::pow(a.beta1, static_cast<double>(a.step));
  const double correction2 = 1 - std::pow(a.beta2, static_cast<double>(a.step));
  const auto step_size = static_cast<S>(a.rate / correction1);
  const auto root = static_cast<S>(1 / std::sqrt(correction2));
  for (Size e = 0; e < a.count; ++e) {
    S gradient = scale * a.gradient[e];
    if (!a.decoupled) gradient += static_cast<S>(a.weight_decay) * a.weight[e];
    a.first[e] = beta1 * a.first[e] + (1 - beta1) * gradient;
    a.second[e] = beta2 * a.second[e] + (1 - beta2) * gradient * gradient;
    S weight = a.weight[e];
    if (a.decoupled) weight -= static_cast<S>(a.rate * a.weight_decay) * weight;
    a.weight[e] = weight - step_size * a.first[e] / (std::sqrt(a.second[e]) * root + static_cast<S>(a.epsilon));
    if (a.copy) a.copy[e] = bf16::from(static_cast<float>(a.weight[e]));
  }
}

template <class T>
void sgd(const Sgd<T>& a) {
  using S = Stat<T>;
  const auto scale = static_cast<S>(clipping_factor(a.clip));
  for (Size e = 0; e < a.count; ++e) {
    S gradient = scale * a.gradient[e] + static_cast<S>(a.weight_decay) * a.weight[e];
    if (a.velocity) gradient = a.velocity[e] = static_cast<S>(a.momentum) * a.velocity[e] + gradient;
    a.weight[e] -= static_cast<S>(a.rate) * gradient;
    if (a.copy) a.copy[e] = bf16::from(static_cast<float>(a.weight[e]));
  }
}

}  // namespace

template <class T>
void fill_optimiser(Kernels<T>& kernels) {
  kernels.sum_squares = sum_squares<T>;
  kernels.add_sum = add_sum<T>;
  kernels.adam = adam<T>;
  kernels.sgd = sgd<T>;
}

template void fill_optimiser(Kernels<float>&);
template void fill_optimiser(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
