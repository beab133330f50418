#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/optimiser.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

double sum_squares_of(const float* x, Size count) {
  const hn::Repartition<double, Tag> wide;
  auto low = hn::Zero(wide), high = hn::Zero(wide);
  each_vector(0, count, [&](Size i, auto lanes) HWY_ATTR {
    const V v = lanes.load(x + i);
    const auto a = hn::PromoteTo(wide, hn::LowerHalf(v));
    const auto b = hn::PromoteTo(wide, hn::UpperHalf(hn::Half<Tag>(), v));
    low = hn::MulAdd(a, a, low);
    high = hn::MulAdd(b, b, high);
  });
  return hn::GetLane(hn::SumOfLanes(wide, hn::Add(low, high)));
}

// A fixed number of partial sums, whatever the number of threads.
void sum_squares(const SumSquares<float>& a) {
  constexpr Size kParts = 256;
  const Size part = std::max<Size>(kGrain, (a.count + kParts - 1) / kParts);
  const Size parts = (a.count + part - 1) / part;
  double partial[kParts];
  threads::split(parts, 2, [&](Size begin, Size end) {
    for (Size p = begin; p < end; ++p) partial[p] = sum_squares_of(a.x + p * part, std::min(part, a.count - p * part));
  });
  double sum = 0;
  for (Size p = 0; p < parts; ++p) sum += partial[p];
  *a.result = sum;
}

// Adam with every constant of a step worked out beforehand.
struct AdamStep {
  V scale, decay, keep, beta1, rest1, beta2, rest2, size, root, epsilon;

  HWY_INLINE explicit AdamStep(const Adam<float>& a)
      : scale(splat(clipping_factor(a.clip))),
        decay(splat(a.decoupled ? 0 : a.weight_decay)),
        keep(splat(a.decoupled ? 1 - a.rate * a.weight_decay : 1)),
        beta1(splat(a.beta1)),
        rest1(splat(1 - a.beta1)),
        beta2(splat(a.beta2)),
        rest2(splat(1 - a.beta2)),
        size(splat(a.rate / (1 - std::pow(a.beta1, static_cast<double>(a.step))))),
        root(splat(1 / std::sqrt(1 - std::pow(a.beta2, static_cast<double>(a.step))))),
        epsilon(splat(a.epsilon)) {}

  template <class Lanes>
  HWY_INLINE void operator()(const Adam<float>& a, Size i, Lanes lanes) const {
    const V weight = lanes.load(a.weight + i);
    const V gradient = hn::MulAdd(decay, weight, hn::Mul(scale, lanes.load(a.gradient + i)));
    const V first = hn::MulAdd(beta1, lanes.load(a.first + i), hn::Mul(rest1, gradient));
    const V second = hn::MulAdd(beta2, lanes.load(a.second + i), hn::Mul(hn::Mul(rest2, gradient), gradient));
    lanes.store(first, a.first + i);
    lanes.store(second, a.second + i);
    const V step = hn::Div(hn::Mul(size, first), hn::MulAdd(hn::Sqrt(second), root, epsilon));
    lanes.store(hn::MulSub(keep, weight, step), a.weight + i);
  }
};

template <class Arguments>
void round_weights(const Arguments& a, Size begin, Size end) {
  if (a.copy == nullptr) return;
  for (Size i = begin; i < end; ++i) a.copy[i] = bf16::from(a.weight[i]);
}

void adam(const Adam<float>& a) {
  threads::split(a.count, kGrain / 2, [&](Size begin, Size end) HWY_ATTR {
    const AdamStep step(a);
    each_vector(begin, end, [&](Size i, auto lanes) HWY_ATTR { step(a, i, lanes); });
    round_weights(a, begin, end);
  });
}

void sgd(const Sgd<float>& a) {
  threads::split(a.count, kGrain, [&](Size begin, Size end) HWY_ATTR {
    const V scale = splat(clipping_factor(a.clip)), decay = splat(a.weight_decay), momentum = splat(a.momentum);
    const V rate = splat(a.rate);
    each_vector(begin, end, [&](Size i, auto lanes) HWY_ATTR {
      const V weight = lanes.load(a.weight + i);
      V gradient = hn::MulAdd(decay, weight, hn::Mul(scale, lanes.load(a.gradient + i)));
      if (a.velocity) {
        gradient = hn::MulAdd(momentum, lanes.load(a.velocity + i), gradient);
        lanes.store(gradient, a.velocity + i);
      }
      lanes.store(hn::NegMulAdd(rate, gradient, weight), a.weight + i);
    });
    round_weights(a, begin, end);
  });
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(sum_squares);
HWY_EXPORT(adam);
HWY_EXPORT(sgd);

void fill_optimiser(Kernels<float>& kernels) {
  kernels.sum_squares = [](const auto& a) { HWY_DYNAMIC_DISPATCH(sum_squares)(a); };
  kernels.add_sum = [](const auto& a) { *a.to += a.scale * std::accumulate(a.x, a.x + a.count, 0.0); };
  kernels.adam = [](const auto& a) { HWY_DYNAMIC_DISPATCH(adam)(a); };
  kernels.sgd = [](const auto& a) { HWY_DYNAMIC_DISPATCH(sgd)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
