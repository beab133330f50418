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

// The number of partial sums does not depend on the number of threads.
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

// The constants of an Adam step. With u = sqrt(1 - beta2) * gradient and the bias corrections c1 and c2:
//   second = beta2 * second + u^2;  first = beta1 * first + share * u
//   rate * first / c1 / (sqrt(second / c2) + epsilon) = size * first / (sqrt(second) + least)
struct AdamStep {
  V scale, decay, keep, beta1, share, beta2, minus_size, least;

  HWY_INLINE explicit AdamStep(const Adam<float>& a) {
    const double root = std::sqrt(1 - a.beta2), start1 = 1 - std::pow(a.beta1, static_cast<double>(a.step));
    const double start2 = std::sqrt(1 - std::pow(a.beta2, static_cast<double>(a.step)));
    scale = splat(clipping_factor(a.clip) * root);
    decay = splat(a.decoupled ? 0 : a.weight_decay * root);
    keep = splat(a.decoupled ? 1 - a.rate * a.weight_decay : 1);
    beta1 = splat(a.beta1), share = splat((1 - a.beta1) / root), beta2 = splat(a.beta2);
    minus_size = splat(-a.rate / start1 * start2), least = splat(a.epsilon * start2);
  }
};

void adam_piece(const Adam<float>& a, Size begin, Size count) {
  const AdamStep s(a);
  float* HWY_RESTRICT weights = a.weight + begin;
  float* HWY_RESTRICT firsts = a.first + begin;
  float* HWY_RESTRICT seconds = a.second + begin;
  each_four_of(a.gradient + begin, count, hn::Zero(kTag), [=](Size c, auto& v, auto lanes) DRAGOMAN_BODY {
    constexpr int kCount = length_of<decltype(v)>;
    V weight[kCount], first[kCount], second[kCount];
    for (int i = 0; i < kCount; ++i) {
      const Size at = c + i * kLanes;
      weight[i] = lanes.load(weights + at);
      const V u = hn::MulAdd(s.decay, weight[i], hn::Mul(s.scale, v[i]));
      first[i] = hn::MulAdd(s.share, u, hn::Mul(s.beta1, lanes.load(firsts + at)));
      second[i] = hn::MulAdd(u, u, hn::Mul(s.beta2, lanes.load(seconds + at)));
      lanes.store(first[i], firsts + at);
      lanes.store(second[i], seconds + at);
    }
    // Square roots and divisions have a long latency; other instructions of the four vectors overlap with them.
    for (int i = 0; i < kCount; ++i) second[i] = hn::Add(hn::Sqrt(second[i]), s.least);
    for (int i = 0; i < kCount; ++i) first[i] = hn::Div(hn::Mul(s.minus_size, first[i]), second[i]);
    for (int i = 0; i < kCount; ++i) lanes.store(hn::MulAdd(s.keep, weight[i], first[i]), weights + c + i * kLanes);
  });
}

template <class Arguments>
void round_weights(const Arguments& a, Size begin, Size end) {
  if (a.copy == nullptr) return;
  for (Size i = begin; i < end; ++i) a.copy[i] = bf16::from(a.weight[i]);
}

void adam(const Adam<float>& a) {
  threads::split(a.count, kGrain / 2, [&](Size begin, Size end) {
    adam_piece(a, begin, end - begin);
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
