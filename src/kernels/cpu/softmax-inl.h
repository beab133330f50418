// The steps of a numerically stable softmax over one row, for softmax, cross-entropy and attention.
#if defined(DRAGOMAN_KERNELS_CPU_SOFTMAX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_CPU_SOFTMAX_INL
#undef DRAGOMAN_KERNELS_CPU_SOFTMAX_INL
#else
#define DRAGOMAN_KERNELS_CPU_SOFTMAX_INL
#endif

#include <limits>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {

HWY_INLINE float row_max(Size count, const float* x) {
  const V lowest = splat(-std::numeric_limits<float>::infinity());
  Four top(lowest);
  each_vector_of_four(0, count, [&](Size c, auto lanes, int w) DRAGOMAN_BODY {
    top.v[w] = hn::Max(top.v[w], lanes.load(x + c, lowest));
  });
  return top.largest();
}

// The sum of exp(x - shift). Calls take(c, values, lanes) for the vectors of exponentials from element c on.
template <class Take>
HWY_INLINE float each_exp(Size count, const float* x, float shift, Take&& take) {
  Four sum(hn::Zero(kTag));
  const V by = hn::Set(kTag, shift);
  each_four_of(x, count, by, [=, &sum, &take](Size c, auto& v, auto lanes) DRAGOMAN_BODY {
    constexpr int kCount = length_of<decltype(v)>;
    for (int i = 0; i < kCount; ++i) v[i] = hn::Sub(v[i], by);
    exp_of(v);
    take(c, v, lanes);
    for (int i = 0; i < kCount; ++i) sum.v[i] = hn::Add(sum.v[i], lanes.only(v[i]));
  });
  return sum.sum();
}

HWY_INLINE float exp_sum(Size count, const float* x, float shift) {
  return each_exp(count, x, shift, [](Size, auto&, auto) DRAGOMAN_BODY {});
}

// y = exp(x - shift); returns the sum. x and y may be the same.
HWY_INLINE float exp_row(Size count, const float* x, float shift, float* y) {
  return each_exp(count, x, shift, [=](Size c, auto& v, auto lanes) DRAGOMAN_BODY {
    for (int i = 0; i < length_of<decltype(v)>; ++i) lanes.store(v[i], y + c + i * kLanes);
  });
}

HWY_INLINE void scale_row(Size count, float factor, float* y) {
  const V by = hn::Set(kTag, factor);
  each_vector(0, count, [=](Size c, auto lanes) HWY_ATTR { lanes.store(hn::Mul(by, lanes.load(y + c)), y + c); });
}

// b is float or bf16.
template <class B>
HWY_INLINE float dot_row(Size count, const float* a, const B* b) {
  Four sum(hn::Zero(kTag));
  each_vector_of_four(0, count, [&](Size c, auto lanes, int w) DRAGOMAN_BODY {
    sum.v[w] = hn::MulAdd(lanes.load(a + c), lanes.load(b + c), sum.v[w]);
  });
  return sum.sum();
}

}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
