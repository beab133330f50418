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

// Writes x + kept * branch (kept may be null: all ones) and returns the sum of the row.
HWY_INLINE float add_branch(Size cols, const float* x, const float* branch, const float* kept, float* sum) {
  Four total(hn::Zero(kTag));
  if (kept)
    each_vector_of_four(0, cols, [&](Size c, auto lanes, int w) HWY_ATTR {
      const V s = hn::MulAdd(lanes.load(kept + c), lanes.load(branch + c), lanes.load(x + c));
      lanes.store(s, sum + c);
      total.v[w] = hn::Add(total.v[w], lanes.only(s));
    });
  else
    each_vector_of_four(0, cols, [&](Size c, auto lanes, int w) HWY_ATTR {
      const V s = hn::Add(lanes.load(branch + c), lanes.load(x + c));
      lanes.store(s, sum + c);
      total.v[w] = hn::Add(total.v[w], s);
    });
  return total.sum();
}

HWY_INLINE float row_sum(Size cols, const float* x) {
  Four total(hn::Zero(kTag));
  each_vector_of_four(0, cols,
                      [&](Size c, auto lanes, int w) HWY_ATTR { total.v[w] = hn::Add(total.v[w], lanes.load(x + c)); });
  return total.sum();
}

// The sum of squared distances from the mean; a second walk over the row, which is in the cache.
HWY_INLINE float row_spread(Size cols, const float* x, float mean) {
  Four total(hn::Zero(kTag));
  const V centre = hn::Set(kTag, mean);
  each_vector_of_four(0, cols, [&](Size c, auto lanes, int w) HWY_ATTR {
    const V distance = hn::Sub(lanes.load(x + c, centre), centre);
    total.v[w] = hn::MulAdd(distance, distance, total.v[w]);
  });
  return total.sum();
}

void norm(const Norm<float>& a) {
  const bool dropping = a.branch && a.dropout.rate != 0;
  const Factors factors(a.dropout);
  threads::split(a.rows, row_grain(a.cols, kGrain / 2), [&](Size begin, Size end) HWY_ATTR {
    float* kept = dropping ? scratch(Scratch::piece, Dropout::stride(a.cols)) : nullptr;
    for (Size r = begin; r < end; ++r) {
      const float* source = a.x + r * a.cols;
      float total = 0;
      if (a.branch) {
        if (kept) factors.write(r, a.cols, a.cols, kept);
        total = add_branch(a.cols, source, a.branch + r * a.cols, kept, a.sum + r * a.cols);
        source = a.sum + r * a.cols;
      } else {
        total = row_sum(a.cols, source);
      }
      const float mean = total / static_cast<float>(a.cols);
      const float variance = row_spread(a.cols, source, mean) / static_cast<float>(a.cols);
      const float rstd = 1 / std::sqrt(variance + static_cast<float>(a.epsilon));
      a.mean[r] = mean;
      a.rstd[r] = rstd;
      const V centre = hn::Set(kTag, mean), stretch = hn::Set(kTag, rstd);
      each_vector(0, a.cols, [&](Size c, auto lanes) HWY_ATTR {
        const V n = hn::Mul(hn::Sub(lanes.load(source + c), centre), stretch);
        lanes.store(hn::MulAdd(n, lanes.load(a.gain + c), lanes.load(a.bias + c)), a.y + r * a.cols + c);
      });
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
