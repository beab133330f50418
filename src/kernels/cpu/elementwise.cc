#include <atomic>
#include <limits>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/elementwise.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/dropout-inl.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

// Functions such as tanh cost tens of instructions per element, so their grain is smaller.
constexpr Size activation_grain(Activation activation) {
  return activation == Activation::none || activation == Activation::relu ? kGrain : kGrain / 4;
}

void activate_all(const Activate<float>& a) {
  with_activation(a.activation, [&](auto kind) HWY_ATTR {
    threads::split(a.count, activation_grain(a.activation), [&](Size begin, Size end) HWY_ATTR {
      float* y = a.y + begin;
      each_four_of(a.x + begin, end - begin, hn::Zero(kTag), [=](Size i, auto& v, auto lanes) HWY_ATTR {
        for (V& x : v) x = activate<decltype(kind)::value>(x);
        for (int k = 0; k < length_of<decltype(v)>; ++k) lanes.store(v[k], y + i + k * kLanes);
      });
    });
  });
}

void activate_all_backward(const ActivateBackward<float>& a) {
  with_activation(a.activation, [&](auto kind) HWY_ATTR {
    threads::split(a.count, activation_grain(a.activation), [&](Size begin, Size end) HWY_ATTR {
      // The derivative of `none` does not read `saved`, which may be null.
      const float* saved = a.activation == Activation::none ? a.dy : a.saved;
      each_vector(begin, end, [=, dy = a.dy, dx = a.dx, add = a.accumulate_dx](Size i, auto lanes) HWY_ATTR {
        put(lanes, activate_backward<decltype(kind)::value>(lanes.load(saved + i), lanes.load(dy + i)), dx + i, add);
      });
    });
  });
}

void combine(const Combine<float>& a) {
  const V alpha = splat(a.alpha), beta = splat(a.beta);
  threads::split(a.count, kGrain, [=](Size begin, Size end) HWY_ATTR {
    if (!a.b)
      each_vector(begin, end, [=, x = a.a, y = a.y](Size i, auto lanes) HWY_ATTR {
        lanes.store(hn::Mul(alpha, lanes.load(x + i)), y + i);
      });
    else
      each_four_of(a.a + begin, end - begin, hn::Zero(kTag),
                   [=, b = a.b + begin, y = a.y + begin](Size i, auto& v, auto lanes) HWY_ATTR {
                     constexpr int kCount = length_of<decltype(v)>;
                     for (int k = 0; k < kCount; ++k)
                       v[k] = hn::MulAdd(alpha, v[k], hn::Mul(beta, lanes.load(b + i + k * kLanes)));
                     for (int k = 0; k < kCount; ++k) lanes.store(v[k], y + i + k * kLanes);
                   });
  });
}

void multiply(const Multiply<float>& a) {
  threads::split(a.count, kGrain, [&](Size begin, Size end) HWY_ATTR {
    each_vector(begin, end, [x = a.a, b = a.b, y = a.y, add = a.accumulate](Size i, auto lanes) HWY_ATTR {
      put(lanes, hn::Mul(lanes.load(x + i), lanes.load(b + i)), y + i, add);
    });
  });
}

void dropout(const DropElements<float>& a) {
  const Factors factors(a.dropout);
  threads::split(a.rows, row_grain(a.cols, kGrain / 4), [&](Size begin, Size end) HWY_ATTR {
    float* kept = scratch(Scratch::piece, Dropout::stride(a.cols));
    for (Size r = begin; r < end; ++r) {
      const float* x = a.x + r * a.cols;
      float* y = a.y + r * a.cols;
      if (a.dropout.rate == 0) {
        each_vector(0, a.cols,
                    [&](Size c, auto lanes) HWY_ATTR { put(lanes, lanes.load(x + c), y + c, a.accumulate); });
        continue;
      }
      factors.write(r, a.cols, a.cols, kept);
      each_vector(0, a.cols, [=, accumulate = a.accumulate](Size c, auto lanes) HWY_ATTR {
        put(lanes, hn::Mul(lanes.load(kept + c), lanes.load(x + c)), y + c, accumulate);
      });
    }
  });
}

void fill(const Fill<float>& a) {
  const V value = splat(a.value);
  threads::split(a.count, 2 * kGrain, [&](Size begin, Size end) HWY_ATTR {
    each_vector(begin, end, [&](Size i, auto lanes) HWY_ATTR { lanes.store(value, a.y + i); });
  });
}

void to_bf16(const ToBf16<float>& a) {
  const hn::Repartition<std::uint32_t, Tag> words;
  const hn::Repartition<std::int32_t, Tag> numbers;
  const hn::Rebind<std::uint16_t, Tag> halves;
  threads::split(a.count, kGrain, [&](Size begin, Size end) HWY_ATTR {
    Size i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      const auto x = hn::LoadU(kTag, a.x + i);
      const auto word = hn::BitCast(words, x);
      const auto odd = hn::And(hn::ShiftRight<16>(word), hn::Set(words, 1u));
      const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(word, hn::Set(words, 0x7FFFu)), odd));
      const auto nan = hn::Or(hn::ShiftRight<16>(word), hn::Set(words, 0x40u));
      const auto result = hn::IfThenElse(hn::RebindMask(words, hn::Eq(x, x)), rounded, nan);
      hn::StoreU(hn::DemoteTo(halves, hn::BitCast(numbers, result)), halves, &a.y[i].bits);
    }
    for (; i < end; ++i) a.y[i] = bf16::from(a.x[i]);
  });
}

void from_bf16(const FromBf16<float>& a) {
  const hn::Repartition<std::uint32_t, Tag> words;
  const hn::Rebind<std::uint16_t, Tag> halves;
  threads::split(a.count, kGrain, [&](Size begin, Size end) HWY_ATTR {
    Size i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      const auto half = hn::PromoteTo(words, hn::LoadU(halves, &a.x[i].bits));
      hn::StoreU(hn::BitCast(kTag, hn::ShiftLeft<16>(half)), kTag, a.y + i);
    }
    for (; i < end; ++i) a.y[i] = a.x[i].value();
  });
}

void all_finite(const AllFinite<float>& a) {
  std::atomic<bool> finite = true;
  threads::split(a.count, 2 * kGrain, [&](Size begin, Size end) HWY_ATTR {
    // A finite number times zero is zero; anything else gives NaN, and a sum with NaN is NaN.
    Four zero(hn::Zero(kTag));
    each_vector_of_four(begin, end, [&](Size i, auto lanes, int w) HWY_ATTR {
      zero.v[w] = hn::MulAdd(lanes.load(a.x + i), hn::Zero(kTag), zero.v[w]);
    });
    if (zero.sum() != 0) finite.store(false, std::memory_order_relaxed);
  });
  *a.result = finite.load();
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(activate_all);
HWY_EXPORT(activate_all_backward);
HWY_EXPORT(combine);
HWY_EXPORT(multiply);
HWY_EXPORT(dropout);
HWY_EXPORT(fill);
HWY_EXPORT(to_bf16);
HWY_EXPORT(from_bf16);
HWY_EXPORT(all_finite);

void fill_elementwise(Kernels<float>& kernels) {
  kernels.activate = [](const auto& a) { HWY_DYNAMIC_DISPATCH(activate_all)(a); };
  kernels.activate_backward = [](const auto& a) { HWY_DYNAMIC_DISPATCH(activate_all_backward)(a); };
  kernels.combine = [](const auto& a) { HWY_DYNAMIC_DISPATCH(combine)(a); };
  kernels.multiply = [](const auto& a) { HWY_DYNAMIC_DISPATCH(multiply)(a); };
  kernels.dropout = [](const auto& a) { HWY_DYNAMIC_DISPATCH(dropout)(a); };
  kernels.fill = [](const auto& a) { HWY_DYNAMIC_DISPATCH(fill)(a); };
  kernels.to_bf16 = [](const auto& a) { HWY_DYNAMIC_DISPATCH(to_bf16)(a); };
  kernels.from_bf16 = [](const auto& a) { HWY_DYNAMIC_DISPATCH(from_bf16)(a); };
  kernels.all_finite = [](const auto& a) { HWY_DYNAMIC_DISPATCH(all_finite)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
