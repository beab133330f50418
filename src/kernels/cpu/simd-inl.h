// Vectors of floats: loads and stores of whole vectors and of the tail of an array, sums in a fixed order, and the
// functions exp, tanh, sigmoid and gelu with an error of a few units in the last place. Compiled once per instruction
// set.
#if defined(DRAGOMAN_KERNELS_CPU_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_CPU_SIMD_INL
#undef DRAGOMAN_KERNELS_CPU_SIMD_INL
#else
#define DRAGOMAN_KERNELS_CPU_SIMD_INL
#endif

#include <hwy/highway.h>

#include <cstring>
#include <type_traits>

#include "kernels/contract.h"

// For the body of a loop with accumulators: unless it is inlined, they go through memory instead of registers.
#ifndef DRAGOMAN_BODY
#define DRAGOMAN_BODY HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using V = hn::Vec<Tag>;
constexpr Tag kTag;
constexpr Size kLanes = HWY_MAX_BYTES / sizeof(float);

HWY_INLINE V splat(double value) { return hn::Set(kTag, static_cast<float>(value)); }
constexpr Size round_up(Size count, Size unit) { return (count + unit - 1) / unit * unit; }

// Software prefetch of an array into the L2 cache. The L1 cache has a hardware prefetcher, and many requests to it at
// once would delay others.
HWY_INLINE void prefetch(const float* from, Size count) {
  constexpr Size kLine = 64 / sizeof(float);
  for (Size i = 0; i < count; i += kLine) __builtin_prefetch(from + i, 0, 2);
}

// A vector of bf16, widened.
HWY_INLINE V load_bf16(const bf16* from) {
  const hn::Rebind<std::uint16_t, Tag> bits;
  const hn::Rebind<hwy::bfloat16_t, Tag> halves;
  return hn::PromoteTo(kTag, hn::BitCast(halves, hn::LoadU(bits, &from->bits)));
}

// Which lanes a load or store touches: all, or the first `count`; the others read as `other`.
struct Whole {
  static HWY_INLINE V load(const float* from) { return hn::LoadU(kTag, from); }
  static HWY_INLINE V load(const bf16* from) { return load_bf16(from); }
  static HWY_INLINE V load(const float* from, V) { return hn::LoadU(kTag, from); }
  static HWY_INLINE void store(V value, float* to) { hn::StoreU(value, kTag, to); }
  static HWY_INLINE V only(V value) { return value; }
};
struct Rest {
  Size count;

  HWY_INLINE V load(const float* from) const { return load(from, hn::Zero(kTag)); }
  HWY_INLINE V load(const bf16* from) const {
    bf16 lanes[kLanes] = {};
    for (Size i = 0; i < count; ++i) lanes[i] = from[i];
    return load_bf16(lanes);
  }
  HWY_INLINE V load(const float* from, V other) const {
    HWY_ALIGN float lanes[kLanes];
    hn::Store(other, kTag, lanes);
    for (Size i = 0; i < count; ++i) lanes[i] = from[i];
    return hn::Load(kTag, lanes);
  }
  HWY_INLINE void store(V value, float* to) const {
    HWY_ALIGN float lanes[kLanes];
    hn::Store(value, kTag, lanes);
    for (Size i = 0; i < count; ++i) to[i] = lanes[i];
  }
  // The value with zeros in the absent lanes.
  HWY_INLINE V only(V value) const {
    return hn::IfThenElseZero(hn::FirstN(kTag, static_cast<std::size_t>(count)), value);
  }
};

// Calls f(i, lanes) for the vectors that cover elements begin .. end.
template <class F>
HWY_INLINE void each_vector(Size begin, Size end, F&& f) {
  Size i = begin;
  for (; i + 2 * kLanes <= end; i += 2 * kLanes) {
    f(i, Whole{});
    f(i + kLanes, Whole{});
  }
  if (i + kLanes <= end) {
    f(i, Whole{});
    i += kLanes;
  }
  if (i < end) f(i, Rest{end - i});
}

// The same with f(i, lanes, which), where `which` cycles through 0 .. 3: reductions have four independent accumulators
// to hide the latency of an addition.
template <class F>
HWY_INLINE void each_vector_of_four(Size begin, Size end, F&& f) {
  Size i = begin;
  for (; i + 4 * kLanes <= end; i += 4 * kLanes) {
    f(i, Whole{}, 0);
    f(i + kLanes, Whole{}, 1);
    f(i + 2 * kLanes, Whole{}, 2);
    f(i + 3 * kLanes, Whole{}, 3);
  }
  for (; i + kLanes <= end; i += kLanes) f(i, Whole{}, 0);
  if (i < end) f(i, Rest{end - i}, 1);
}

// The length of an array, for functions that take it by `auto&`.
template <class Array>
constexpr int length_of = static_cast<int>(std::extent_v<std::remove_reference_t<Array>>);

// Calls f(c, v, lanes) for the vectors v[0] .. v[N - 1] of x from element c on, where N is 4 or 1. All are loaded
// before f stores any, so that the operations on four vectors overlap.
template <class F>
HWY_INLINE void each_four_of(const float* x, Size count, V absent, F&& f) {
  Size c = 0;
  for (; c + 4 * kLanes <= count; c += 4 * kLanes) {
    V v[4] = {Whole::load(x + c), Whole::load(x + c + kLanes), Whole::load(x + c + 2 * kLanes),
              Whole::load(x + c + 3 * kLanes)};
    f(c, v, Whole{});
  }
  const auto one = [&](auto lanes) DRAGOMAN_BODY {
    V v[1] = {lanes.load(x + c, absent)};
    f(c, v, lanes);
  };
  for (; c + kLanes <= count; c += kLanes) one(Whole{});
  if (c < count) one(Rest{count - c});
}

// Four accumulators that are reduced to one number.
struct Four {
  V v[4];

  explicit HWY_INLINE Four(V start) : v{start, start, start, start} {}
  HWY_INLINE float sum() const {
    return hn::GetLane(hn::SumOfLanes(kTag, hn::Add(hn::Add(v[0], v[1]), hn::Add(v[2], v[3]))));
  }
  HWY_INLINE float largest() const {
    return hn::GetLane(hn::MaxOfLanes(kTag, hn::Max(hn::Max(v[0], v[1]), hn::Max(v[2], v[3]))));
  }
};

// ---- elementary functions -------------------------------------------------------------------------------------

// x = n ln 2 + r with |r| <= ln 2 / 2.
// With fused multiply-add, the error of ln 2 as a float, n times, stays below 3e-7. Without, the product n ln 2 is
// rounded, so that ln 2 has two parts: n times the first is exact.
HWY_INLINE V without_powers(V x, V n) {
#if HWY_NATIVE_FMA
  return hn::NegMulAdd(n, splat(0.69314718055994531), x);
#else
  return hn::Sub(hn::Sub(x, hn::Mul(n, splat(0.693359375))), hn::Mul(n, splat(-2.1219444005469058e-4)));
#endif
}
struct ExpParts {
  V power;      // 2^n; valid for -127 <= n <= 127, and 0 for n = -127
  V minus_one;  // e^r - 1: r times a Chebyshev fit of (e^r - 1) / r, relative error below 5e-7
};
HWY_INLINE ExpParts exp_parts(V x) {
  // Adding 1.5 * 2^23 rounds to an integer in the low bits; 127 more is the exponent bias of 2^n.
  const V shift = splat(12582912 + 127);
  const V shifted = hn::MulAdd(x, splat(1.44269504088896341), shift);
  const V r = without_powers(x, hn::Sub(shifted, shift));
  const V r2 = hn::Mul(r, r);
  const V low = hn::MulAdd(r, splat(0.166665766661), splat(0.4999936962));
  const V high = hn::MulAdd(r, splat(0.00836323288368), splat(0.0418760635159));
  const hn::RebindToUnsigned<Tag> bits;
  return {hn::BitCast(kTag, hn::ShiftLeft<23>(hn::BitCast(bits, shifted))),
          hn::MulAdd(hn::MulAdd(high, r2, low), r2, r)};
}

// The larger of the two; NaN where x is NaN.
HWY_INLINE V at_least(V low, V x) {
#if HWY_ARCH_ARM_A64
  return V(vmaxq_f32(low.raw, x.raw));
#else
  return hn::Max(low, x);
#endif
}

// e^x for x <= 88; 0 below -87.7; NaN (as arithmetic produces it) stays NaN.
HWY_INLINE V exp(V x) {
  const ExpParts parts = exp_parts(at_least(splat(-88), x));
  return hn::MulAdd(parts.power, parts.minus_one, parts.power);
}

// The same for several vectors, interleaved.
template <int kCount>
HWY_INLINE void exp_of(V (&x)[kCount]) {
  for (int i = 0; i < kCount; ++i) x[i] = exp(x[i]);
}

// 1 / (1 + e^-x), computed from e^-|x|: it cannot overflow, and small results keep their precision.
HWY_INLINE V sigmoid(V x) {
  const V one = splat(1);
  const V e = exp(hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(kTag)), e, one), hn::Add(one, e));
}

// tanh |x| = -m / (2 + m) with m = e^(-2|x|) - 1, which is precise near 0.
HWY_INLINE V tanh(V x) {
  const V size = hn::Min(hn::Abs(x), splat(20));
  const ExpParts parts = exp_parts(hn::Mul(size, splat(-2)));
  const V m = hn::MulAdd(parts.power, parts.minus_one, hn::Sub(parts.power, splat(1)));
  const V result = hn::CopySign(hn::Div(m, hn::Add(m, splat(2))), x);
  return hn::IfThenElse(hn::Eq(x, x), result, x);
}

// The standard normal distribution function and its density. For u = |x| / sqrt 2, erfc(u) is e^(-u^2) times a slowly
// varying function: t times a polynomial in t = 1 / (1 + u / 2), a Chebyshev fit.
struct Normal {
  V below, density;
};
HWY_INLINE Normal normal(V x) {
  const V u = hn::Mul(hn::Abs(x), splat(0.70710678118654752));
  const V t = hn::Div(splat(1), hn::MulAdd(u, splat(0.5), splat(1)));
  V p = splat(-0.05925186145);
  p = hn::MulAdd(p, t, splat(0.2855674817));
  p = hn::MulAdd(p, t, splat(-0.4894429642));
  p = hn::MulAdd(p, t, splat(0.2808154572));
  p = hn::MulAdd(p, t, splat(-0.02861301389));
  p = hn::MulAdd(p, t, splat(0.203550254));
  p = hn::MulAdd(p, t, splat(0.2428851773));
  p = hn::MulAdd(p, t, splat(0.2824045932));
  p = hn::MulAdd(p, t, splat(0.282084837));
  const V e = exp(hn::Mul(hn::Mul(x, x), splat(-0.5)));
  const V tail = hn::Mul(hn::Mul(hn::Mul(p, t), splat(0.5)), e);
  return {hn::IfThenElse(hn::Lt(x, hn::Zero(kTag)), tail, hn::Sub(splat(1), tail)),
          hn::Mul(e, splat(0.39894228040143268))};
}

template <Activation kind>
HWY_INLINE V activate(V x) {
  if constexpr (kind == Activation::relu) return hn::IfThenElseZero(hn::Gt(x, hn::Zero(kTag)), x);
  if constexpr (kind == Activation::gelu) return hn::Mul(x, normal(x).below);
  if constexpr (kind == Activation::silu) return hn::Mul(x, sigmoid(x));
  if constexpr (kind == Activation::tanh) return tanh(x);
  if constexpr (kind == Activation::sigmoid) return sigmoid(x);
  return x;
}

// `dy` times the derivative of the activation, computed from its input where needs_input(), otherwise from its output.
template <Activation kind>
HWY_INLINE V activate_backward(V saved, V dy) {
  if constexpr (kind == Activation::relu) return hn::IfThenElseZero(hn::Gt(saved, hn::Zero(kTag)), dy);
  if constexpr (kind == Activation::gelu) {
    const Normal n = normal(saved);
    return hn::Mul(dy, hn::MulAdd(saved, n.density, n.below));
  }
  if constexpr (kind == Activation::silu) {
    const V s = sigmoid(saved);
    return hn::Mul(hn::Mul(dy, s), hn::MulAdd(saved, hn::Sub(splat(1), s), splat(1)));
  }
  if constexpr (kind == Activation::tanh) return hn::Mul(dy, hn::NegMulAdd(saved, saved, splat(1)));
  if constexpr (kind == Activation::sigmoid) return hn::Mul(dy, hn::NegMulAdd(saved, saved, saved));
  return dy;
}

// Calls f with the activation as a compile-time constant.
template <class F>
HWY_INLINE void with_activation(Activation activation, F&& f) {
  switch (activation) {
    case Activation::none: return f(std::integral_constant<Activation, Activation::none>{});
    case Activation::relu: return f(std::integral_constant<Activation, Activation::relu>{});
    case Activation::gelu: return f(std::integral_constant<Activation, Activation::gelu>{});
    case Activation::silu: return f(std::integral_constant<Activation, Activation::silu>{});
    case Activation::tanh: return f(std::integral_constant<Activation, Activation::tanh>{});
    case Activation::sigmoid: return f(std::integral_constant<Activation, Activation::sigmoid>{});
  }
}

// y = value, or y += value.
template <class Lanes>
HWY_INLINE void put(Lanes lanes, V value, float* y, bool accumulate) {
  lanes.store(accumulate ? hn::Add(lanes.load(y), value) : value, y);
}

}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
