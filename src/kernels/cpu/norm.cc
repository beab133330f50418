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

// With n = (s - mean) * rstd and g = dy * gain:
//   ds = rstd * (g - mean(g) - n * mean(g * n)) + dsum
class NormGradient {
 public:
  // `sums`: dgain, then dbias, summed over the rows of this part; `kept`: room for a row's factors, or null.
  HWY_INLINE NormGradient(const NormBackward<float>& a, const Factors& factors, float* kept, float* sums)
      : a_(a), factors_(factors), kept_(kept), sums_(sums) {}

  HWY_INLINE void run(Size begin, Size end) const {
    Size r = begin;
    for (; r + kSide <= end; r += kSide) rows<kSide>(r);
    for (; r < end; ++r) rows<1>(r);
  }

 private:
  // The sums over the columns need little from memory for each row if several rows share them.
  static constexpr int kSide = 2;

  template <int kRows>
  HWY_INLINE void rows(Size r) const {
    const Size cols = a_.cols;
    const float* HWY_RESTRICT s = a_.sum + r * cols;
    const float* HWY_RESTRICT dy = a_.dy + r * cols;
    const float* HWY_RESTRICT gain = a_.gain;
    float* HWY_RESTRICT dgain = sums_;
    float* HWY_RESTRICT dbias = sums_ + cols;
    V mean[kRows], rstd[kRows], of_g[kRows], of_gt[kRows];  // t = s - mean
    for (int i = 0; i < kRows; ++i) {
      mean[i] = hn::Set(kTag, a_.mean[r + i]);
      rstd[i] = hn::Set(kTag, a_.rstd[r + i]);
      of_g[i] = of_gt[i] = hn::Zero(kTag);
    }
    each_vector(0, cols, [=, &of_g, &of_gt](Size c, auto lanes) HWY_ATTR {
      const V by = lanes.load(gain + c);
      V to_gain = lanes.load(dgain + c), to_bias = lanes.load(dbias + c);
      for (int i = 0; i < kRows; ++i) {
        const V d = lanes.load(dy + i * cols + c);
        const V dt = hn::Mul(d, hn::Sub(lanes.load(s + i * cols + c), mean[i]));
        of_g[i] = hn::MulAdd(d, by, of_g[i]);
        of_gt[i] = hn::MulAdd(dt, by, of_gt[i]);
        to_gain = hn::MulAdd(dt, rstd[i], to_gain);
        to_bias = hn::Add(to_bias, d);
      }
      lanes.store(to_gain, dgain + c);
      lanes.store(to_bias, dbias + c);
    });
    for (int i = 0; i < kRows; ++i) {
      const float count = static_cast<float>(cols), scale = a_.rstd[r + i];
      const float mean_g = hn::GetLane(hn::SumOfLanes(kTag, of_g[i])) / count;
      const float mean_gt = hn::GetLane(hn::SumOfLanes(kTag, of_gt[i])) / count;
      write(r + i, {mean[i], rstd[i], hn::Set(kTag, -scale * mean_g), hn::Set(kTag, -scale * scale * scale * mean_gt)});
    }
  }

  // ds = t * slope + rstd * g + shift + dsum.
  struct Line {
    V mean, rstd, shift, slope;
  };

  enum class Branch { none, plain, dropped };

  HWY_INLINE void write(Size r, const Line& line) const {
    if (kept_) factors_.write(r, a_.cols, a_.cols, kept_);
    return a_.dsum ? write_dx<true>(r, line) : write_dx<false>(r, line);
  }
  template <bool kDsum>
  HWY_INLINE void write_dx(Size r, const Line& line) const {
    return a_.dx ? write_branch<kDsum, true>(r, line) : write_branch<kDsum, false>(r, line);
  }
  template <bool kDsum, bool kDx>
  HWY_INLINE void write_branch(Size r, const Line& line) const {
    if (!a_.dbranch) return write_row<kDsum, kDx, Branch::none>(r, line);
    return kept_ ? write_row<kDsum, kDx, Branch::dropped>(r, line) : write_row<kDsum, kDx, Branch::plain>(r, line);
  }
  template <bool kDsum, bool kDx, Branch kBranch>
  HWY_INLINE void write_row(Size r, const Line& line) const {
    const Size first = r * a_.cols;
    const float* HWY_RESTRICT gain = a_.gain;
    const float* HWY_RESTRICT kept = kept_;
    const float* s = a_.sum + first;
    const float* dy = a_.dy + first;
    const float* dsum = kDsum ? a_.dsum + first : nullptr;
    float* dx = kDx ? a_.dx + first : nullptr;
    float* dbranch = kBranch != Branch::none ? a_.dbranch + first : nullptr;
    const bool add_to_dx = a_.accumulate_dx, add_to_dbranch = a_.accumulate_dbranch;
    const V mean = line.mean, rstd = line.rstd, shift = line.shift, slope = line.slope;
    each_vector(0, a_.cols, [=](Size c, auto lanes) HWY_ATTR {
      const V rest = kDsum ? hn::Add(shift, lanes.load(dsum + c)) : shift;
      const V g = hn::Mul(lanes.load(dy + c), lanes.load(gain + c));
      const V ds = hn::MulAdd(hn::Sub(lanes.load(s + c), mean), slope, hn::MulAdd(g, rstd, rest));
      if (kDx) put(lanes, ds, dx + c, add_to_dx);
      if (kBranch == Branch::plain) put(lanes, ds, dbranch + c, add_to_dbranch);
      if (kBranch == Branch::dropped) put(lanes, hn::Mul(ds, lanes.load(kept + c)), dbranch + c, add_to_dbranch);
    });
  }

  const NormBackward<float>& a_;
  const Factors& factors_;
  float* kept_;
  float* sums_;
};

void norm_backward(const NormBackward<float>& a) {
  if (a.rows == 0) return;
  const bool dropping = a.dbranch && a.dropout.rate != 0;
  const Factors factors(a.dropout);
  const PartialSums partial(a.rows, row_grain(a.cols, kGrain / 2), 2 * a.cols);
  partial.each_part([&](Size begin, Size end, float* sums) HWY_ATTR {
    float* kept = dropping ? scratch(Scratch::piece, Dropout::stride(a.cols)) : nullptr;
    NormGradient(a, factors, kept, sums).run(begin, end);
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
