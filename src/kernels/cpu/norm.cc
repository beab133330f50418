#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/norm.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/columns-inl.h"
#include "kernels/cpu/dropout-inl.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

// Sums over a row of the distances from `origin` and of their squares: mean and variance in one walk. An origin near
// the row's values keeps the difference of the two sums exact enough; its first element is.
struct Moments {
  Four sum{hn::Zero(kTag)}, squares{hn::Zero(kTag)};
  const V origin;

  explicit HWY_INLINE Moments(float from) : origin(hn::Set(kTag, from)) {}
  template <class Lanes>
  HWY_INLINE void take(V value, Lanes lanes, int w) {
    const V distance = lanes.only(hn::Sub(value, origin));
    sum.v[w] = hn::Add(sum.v[w], distance);
    squares.v[w] = hn::MulAdd(distance, distance, squares.v[w]);
  }
};

// Writes x + kept * branch (kept may be null: all ones) and takes the moments of the row.
HWY_INLINE void add_branch(Size cols, const float* HWY_RESTRICT x, const float* HWY_RESTRICT branch,
                           const float* HWY_RESTRICT kept, float* HWY_RESTRICT sum, Moments& moments) {
  if (kept)
    each_vector_of_four(0, cols, [=, &moments](Size c, auto lanes, int w) HWY_ATTR {
      const V s = hn::MulAdd(lanes.load(kept + c), lanes.load(branch + c), lanes.load(x + c));
      lanes.store(s, sum + c);
      moments.take(s, lanes, w);
    });
  else
    each_vector_of_four(0, cols, [=, &moments](Size c, auto lanes, int w) HWY_ATTR {
      const V s = hn::Add(lanes.load(branch + c), lanes.load(x + c));
      lanes.store(s, sum + c);
      moments.take(s, lanes, w);
    });
}

// y = (x * stretch + shift) * gain + bias.
HWY_INLINE void normalise(Size cols, const float* HWY_RESTRICT x, V stretch, V shift, const float* HWY_RESTRICT gain,
                          const float* HWY_RESTRICT bias, float* HWY_RESTRICT y) {
  each_vector_of_four(0, cols, [=](Size c, auto lanes, int w) HWY_ATTR {
    if (w == 0) __builtin_prefetch(x + cols + c);  // the next row comes in while this one goes out
    const V n = hn::MulAdd(lanes.load(x + c), stretch, shift);
    lanes.store(hn::MulAdd(n, lanes.load(gain + c), lanes.load(bias + c)), y + c);
  });
}

void norm(const Norm<float>& a) {
  const bool dropping = a.branch && a.dropout.rate != 0;
  const Factors factors(a.dropout);
  threads::split(a.rows, row_grain(a.cols, kGrain / 2), [&](Size begin, Size end) HWY_ATTR {
    const Size cols = a.cols;
    const float count = static_cast<float>(cols);
    float* kept = dropping ? scratch(Scratch::piece, Dropout::stride(cols)) : nullptr;
    for (Size r = begin; r < end; ++r) {
      const float* source = a.x + r * cols;
      const float origin = cols > 0 ? source[0] : 0;
      Moments moments(origin);
      if (a.branch) {
        if (kept) factors.write(r, cols, cols, kept);
        add_branch(cols, source, a.branch + r * cols, kept, a.sum + r * cols, moments);
        source = a.sum + r * cols;
      } else {
        each_vector_of_four(0, cols, [source, &moments](Size c, auto lanes, int w) HWY_ATTR {
          moments.take(lanes.load(source + c), lanes, w);
        });
      }
      const float offset = moments.sum.sum() / count;
      const float variance = std::max(0.0f, moments.squares.sum() / count - offset * offset);
      const float rstd = 1 / std::sqrt(variance + static_cast<float>(a.epsilon));
      const float mean = origin + offset;
      a.mean[r] = mean;
      a.rstd[r] = rstd;
      normalise(cols, source, hn::Set(kTag, rstd), hn::Set(kTag, -mean * rstd), a.gain, a.bias, a.y + r * cols);
    }
  });
}

// One row of the gradient. With n = (s - mean) * rstd and g = dy * gain:
//   ds = rstd * (g - mean(g) - n * mean(g * n)) + dsum
struct RowGradient {
  const NormBackward<float>& a;
  const Factors factors;
  float* kept;   // the row's dropout factors, or null
  float* dgain;  // sums over rows
  float* dbias;

  HWY_INLINE void operator()(Size r) const {
    const float* sum = a.sum + r * a.cols;
    const float* dy = a.dy + r * a.cols;
    const V centre = hn::Set(kTag, a.mean[r]), stretch = hn::Set(kTag, a.rstd[r]);
    Four of_g(hn::Zero(kTag)), of_gn(hn::Zero(kTag));
    each_vector_of_four(0, a.cols, [&](Size c, auto lanes, int w) HWY_ATTR {
      const V d = lanes.load(dy + c);
      const V n = hn::Mul(hn::Sub(lanes.load(sum + c), centre), stretch);
      const V dn = hn::Mul(d, n), gain = lanes.load(a.gain + c);
      of_g.v[w] = hn::MulAdd(d, gain, of_g.v[w]);
      of_gn.v[w] = hn::MulAdd(dn, gain, of_gn.v[w]);
      if (dgain) lanes.store(hn::Add(lanes.load(dgain + c), dn), dgain + c);
      if (dbias) lanes.store(hn::Add(lanes.load(dbias + c), d), dbias + c);
    });
    const float count = static_cast<float>(a.cols);
    const V mean_g = hn::Set(kTag, of_g.sum() / count), mean_gn = hn::Set(kTag, of_gn.sum() / count);
    if (kept) factors.write(r, a.cols, a.cols, kept);
    each_vector(0, a.cols, [&](Size c, auto lanes) HWY_ATTR {
      const V n = hn::Mul(hn::Sub(lanes.load(sum + c), centre), stretch);
      const V g = hn::MulSub(lanes.load(dy + c), lanes.load(a.gain + c), mean_g);
      V ds = hn::Mul(stretch, hn::NegMulAdd(n, mean_gn, g));
      if (a.dsum) ds = hn::Add(ds, lanes.load(a.dsum + r * a.cols + c));
      if (a.dx) put(lanes, ds, a.dx + r * a.cols + c, a.accumulate_dx);
      if (a.dbranch) {
        if (kept) ds = hn::Mul(ds, lanes.load(kept + c));
        put(lanes, ds, a.dbranch + r * a.cols + c, a.accumulate_dbranch);
      }
    });
  }
};

void norm_backward(const NormBackward<float>& a) {
  if (a.rows == 0) return;
  const bool dropping = a.dbranch && a.dropout.rate != 0;
  const Factors factors(a.dropout);
  const PartialSums partial(a.rows, row_grain(a.cols, kGrain / 2), 2 * a.cols);
  partial.each_part([&](Size begin, Size end, float* sums) HWY_ATTR {
    float* kept = dropping ? scratch(Scratch::piece, Dropout::stride(a.cols)) : nullptr;
    const RowGradient row{a, factors, kept, a.dgain ? sums : nullptr, a.dbias ? sums + a.cols : nullptr};
    for (Size r = begin; r < end; ++r) row(r);
  });
  if (a.dgain) partial.add_to(a.dgain, 0, a.cols);
  if (a.dbias) partial.add_to(a.dbias, a.cols, a.cols);
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(norm);
HWY_EXPORT(norm_backward);

void fill_norm(Kernels<float>& kernels) {
  kernels.norm = [](const auto& a) { HWY_DYNAMIC_DISPATCH(norm)(a); };
  kernels.norm_backward = [](const auto& a) { HWY_DYNAMIC_DISPATCH(norm_backward)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
