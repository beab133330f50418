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

// The sums of a row and of its squares.
struct Moments {
  Four sum, squares;

  HWY_INLINE Moments() : sum(hn::Zero(kTag)), squares(hn::Zero(kTag)) {}
  HWY_INLINE void take(V value, int w) {
    sum.v[w] = hn::Add(sum.v[w], value);
    squares.v[w] = hn::MulAdd(value, value, squares.v[w]);
  }
};

// The variance by a second pass over the row.
HWY_NOINLINE float two_pass_variance(Size cols, const float* x, float mean) {
  Four squares(hn::Zero(kTag));
  const V from = hn::Set(kTag, mean);
  each_vector_of_four(0, cols, [=, &squares](Size c, auto lanes, int w) DRAGOMAN_BODY {
    const V distance = hn::Sub(lanes.load(x + c, from), from);
    squares.v[w] = hn::MulAdd(distance, distance, squares.v[w]);
  });
  return squares.sum() / static_cast<float>(cols);
}

// What is added to x before the norm.
enum class Branch { none, plain, dropped };

// Computes the moments of x + kept * branch and, with a branch, writes the sum.
template <Branch kBranch>
HWY_INLINE Moments add_branch(Size cols, const float* HWY_RESTRICT x, const float* HWY_RESTRICT branch,
                              const float* HWY_RESTRICT kept, float* HWY_RESTRICT sum) {
  Moments moments;
  each_four_of(x, cols, hn::Zero(kTag), [=, &moments](Size c, auto& v, auto lanes) DRAGOMAN_BODY {
    constexpr int kCount = length_of<decltype(v)>;
    for (int i = 0; i < kCount; ++i) {
      const Size at = c + i * kLanes;
      if (kBranch == Branch::plain) v[i] = hn::Add(v[i], lanes.load(branch + at));
      if (kBranch == Branch::dropped) v[i] = hn::MulAdd(lanes.load(kept + at), lanes.load(branch + at), v[i]);
      moments.take(v[i], i);
    }
    if (kBranch != Branch::none)
      for (int i = 0; i < kCount; ++i) lanes.store(v[i], sum + c + i * kLanes);
  });
  return moments;
}

// y = (x * stretch + shift) * gain + bias.
HWY_INLINE void normalise(Size cols, const float* HWY_RESTRICT x, V stretch, V shift, const float* HWY_RESTRICT gain,
                          const float* HWY_RESTRICT bias, float* HWY_RESTRICT y) {
  each_four_of(x, cols, hn::Zero(kTag), [=](Size c, auto& v, auto lanes) HWY_ATTR {
    constexpr int kCount = length_of<decltype(v)>;
    __builtin_prefetch(x + cols + c);  // software prefetch of the next row
    for (int i = 0; i < kCount; ++i) {
      const Size at = c + i * kLanes;
      v[i] = hn::MulAdd(hn::MulAdd(v[i], stretch, shift), lanes.load(gain + at), lanes.load(bias + at));
    }
    for (int i = 0; i < kCount; ++i) lanes.store(v[i], y + c + i * kLanes);
  });
}

template <Branch kBranch>
HWY_INLINE void norm_rows(const Norm<float>& a, const Factors& factors, Size begin, Size end) {
  const Size cols = a.cols;
  const float part = 1 / static_cast<float>(cols);
  float* kept = kBranch == Branch::dropped ? scratch(Scratch::piece, Dropout::stride(cols)) : nullptr;
  for (Size r = begin; r < end; ++r) {
    const Size first = r * cols;
    if (kBranch == Branch::dropped) factors.write(r, cols, cols, kept);
    const float* branch = kBranch == Branch::none ? nullptr : a.branch + first;
    float* sum = kBranch == Branch::none ? nullptr : a.sum + first;
    const Moments moments = add_branch<kBranch>(cols, a.x + first, branch, kept, sum);
    const float* source = kBranch == Branch::none ? a.x + first : sum;
    const float mean = moments.sum.sum() * part, mean_square = mean * mean;
    float variance = moments.squares.sum() * part - mean_square;
    // If the mean is large, the difference suffers from cancellation.
    if (!(mean_square <= 8 * variance)) variance = two_pass_variance(cols, source, mean);
    const float rstd = 1 / std::sqrt(variance + static_cast<float>(a.epsilon));
    a.mean[r] = mean;
    a.rstd[r] = rstd;
    normalise(cols, source, hn::Set(kTag, rstd), hn::Set(kTag, -mean * rstd), a.gain, a.bias, a.y + first);
  }
}

void norm(const Norm<float>& a) {
  const Factors factors(a.dropout);
  threads::split(a.rows, row_grain(a.cols, kGrain / 2), [&](Size begin, Size end) HWY_ATTR {
    if (!a.branch) return norm_rows<Branch::none>(a, factors, begin, end);
    if (a.dropout.rate == 0) return norm_rows<Branch::plain>(a, factors, begin, end);
    norm_rows<Branch::dropped>(a, factors, begin, end);
  });
}

// With n = (s - mean) * rstd and g = dy * gain:
//   ds = rstd * (g - mean(g) - n * mean(g * n)) + dsum
class NormGradient {
 public:
  // `sums`: dgain, then dbias, summed over the rows of this part; `kept`: memory for the dropout factors of a row, or
  // null.
  HWY_INLINE NormGradient(const NormBackward<float>& a, const Factors& factors, float* kept, float* sums)
      : a_(a), factors_(factors), kept_(kept), sums_(sums) {}

  HWY_INLINE void run(Size begin, Size end) const {
    Size r = begin;
    for (; r + kRowsTogether <= end; r += kRowsTogether) rows<kRowsTogether>(r);
    for (; r < end; ++r) rows<1>(r);
  }

 private:
  // Two rows at a time halve the loads and stores of the column sums.
  static constexpr int kRowsTogether = 2;

  // The sums of one row: of g and of g * t, with t = s - mean.
  struct Row {
    const float* HWY_RESTRICT s;
    const float* HWY_RESTRICT dy;
    V mean, rstd, of_g, of_gt;

    HWY_INLINE Row(const NormBackward<float>& a, Size r)
        : s(a.sum + r * a.cols),
          dy(a.dy + r * a.cols),
          mean(hn::Set(kTag, a.mean[r])),
          rstd(hn::Set(kTag, a.rstd[r])),
          of_g(hn::Zero(kTag)),
          of_gt(of_g) {}

    template <class Lanes>
    HWY_INLINE void take(Size c, Lanes lanes, V gain, V& dgain, V& dbias) {
      const V d = lanes.load(dy + c);
      const V dt = hn::Mul(d, hn::Sub(lanes.load(s + c), mean));
      of_g = hn::MulAdd(d, gain, of_g);
      of_gt = hn::MulAdd(dt, gain, of_gt);
      dgain = hn::MulAdd(dt, rstd, dgain);
      dbias = hn::Add(dbias, d);
    }
  };

  template <int kRows>
  HWY_INLINE void rows(Size r) const {
    const Size cols = a_.cols;
    const float* HWY_RESTRICT gain = a_.gain;
    float* HWY_RESTRICT dgain = sums_;
    float* HWY_RESTRICT dbias = sums_ + cols;
    Row first(a_, r), second(a_, r + kRows - 1);
    each_vector(0, cols, [=, &first, &second](Size c, auto lanes) DRAGOMAN_BODY {
      const V by = lanes.load(gain + c);
      V to_gain = lanes.load(dgain + c), to_bias = lanes.load(dbias + c);
      first.take(c, lanes, by, to_gain, to_bias);
      if (kRows == 2) second.take(c, lanes, by, to_gain, to_bias);
      lanes.store(to_gain, dgain + c);
      lanes.store(to_bias, dbias + c);
    });
    write(r, coefficients_of(first, r));
    if (kRows == 2) write(r + 1, coefficients_of(second, r + 1));
  }

  // ds = s * slope + rstd * g + shift + dsum.
  struct Coefficients {
    V rstd, shift, slope;
  };
  HWY_INLINE Coefficients coefficients_of(const Row& row, Size r) const {
    const float part = 1 / static_cast<float>(a_.cols), scale = a_.rstd[r];
    const float mean_g = hn::GetLane(hn::SumOfLanes(kTag, row.of_g)) * part;
    const float slope = -scale * scale * scale * part * hn::GetLane(hn::SumOfLanes(kTag, row.of_gt));
    return {row.rstd, hn::Set(kTag, -scale * mean_g - slope * a_.mean[r]), hn::Set(kTag, slope)};
  }

  HWY_INLINE void write(Size r, const Coefficients& coefficients) const {
    if (kept_) factors_.write(r, a_.cols, a_.cols, kept_);
    return a_.dsum ? write_dx<true>(r, coefficients) : write_dx<false>(r, coefficients);
  }
  template <bool kDsum>
  HWY_INLINE void write_dx(Size r, const Coefficients& coefficients) const {
    return a_.dx ? write_branch<kDsum, true>(r, coefficients) : write_branch<kDsum, false>(r, coefficients);
  }
  template <bool kDsum, bool kDx>
  HWY_INLINE void write_branch(Size r, const Coefficients& coefficients) const {
    if (!a_.dbranch) return write_row<kDsum, kDx, Branch::none>(r, coefficients);
    return kept_ ? write_row<kDsum, kDx, Branch::dropped>(r, coefficients)
                 : write_row<kDsum, kDx, Branch::plain>(r, coefficients);
  }
  template <bool kDsum, bool kDx, Branch kBranch>
  HWY_INLINE void write_row(Size r, const Coefficients& coefficients) const {
    const Size first = r * a_.cols;
    const float* HWY_RESTRICT gain = a_.gain;
    const float* HWY_RESTRICT kept = kept_;
    const float* s = a_.sum + first;
    const float* dy = a_.dy + first;
    const float* dsum = kDsum ? a_.dsum + first : nullptr;
    float* dx = kDx ? a_.dx + first : nullptr;
    float* dbranch = kBranch != Branch::none ? a_.dbranch + first : nullptr;
    const bool add_to_dx = a_.accumulate_dx, add_to_dbranch = a_.accumulate_dbranch;
    const V rstd = coefficients.rstd, shift = coefficients.shift, slope = coefficients.slope;
    each_four_of(s, a_.cols, hn::Zero(kTag), [=](Size c, auto& v, auto lanes) HWY_ATTR {
      constexpr int kCount = length_of<decltype(v)>;
      for (int i = 0; i < kCount; ++i) {
        const Size at = c + i * kLanes;
        const V rest = kDsum ? hn::Add(shift, lanes.load(dsum + at)) : shift;
        const V g = hn::Mul(lanes.load(dy + at), lanes.load(gain + at));
        v[i] = hn::MulAdd(v[i], slope, hn::MulAdd(g, rstd, rest));
      }
      for (int i = 0; i < kCount; ++i) {
        const Size at = c + i * kLanes;
        if (kDx) put(lanes, v[i], dx + at, add_to_dx);
        if (kBranch == Branch::plain) put(lanes, v[i], dbranch + at, add_to_dbranch);
        if (kBranch == Branch::dropped) put(lanes, hn::Mul(v[i], lanes.load(kept + at)), dbranch + at, add_to_dbranch);
      }
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
