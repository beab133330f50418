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

// Sums over a row and of its squares.
struct Moments {
  Four sum, squares;

  HWY_INLINE Moments() : sum(hn::Zero(kTag)), squares(hn::Zero(kTag)) {}
  HWY_INLINE void take(V value, int w) {
    sum.v[w] = hn::Add(sum.v[w], value);
    squares.v[w] = hn::MulAdd(value, value, squares.v[w]);
  }
};

// The mean square of the distances from `mean`.
HWY_NOINLINE float spread(Size cols, const float* x, float mean) {
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

// The rows of a norm's argument: x + kept * branch.
template <Branch kBranch>
struct Sum {
  const float* HWY_RESTRICT x;
  const float* HWY_RESTRICT branch;
  const float* HWY_RESTRICT kept;

  template <class Lanes>
  HWY_INLINE V add(V value, Size c, Lanes lanes) const {
    if constexpr (kBranch == Branch::plain) return hn::Add(value, lanes.load(branch + c));
    if constexpr (kBranch == Branch::dropped) return hn::MulAdd(lanes.load(kept + c), lanes.load(branch + c), value);
    return value;
  }
};

// One walk writes a row and takes the moments of the next, so that memory has work all the time. Sums are worked out
// a second time rather than read back: what was written may already have left the cache.
template <Branch kBranch>
class NormRows {
 public:
  // `kept`: room for the factors of two rows, or null.
  HWY_INLINE NormRows(const Norm<float>& a, const Factors& factors, float* kept)
      : a_(a), factors_(factors), kept_(kept) {}

  HWY_INLINE void run(Size begin, Size end) const {
    if (begin == end) return;
    Line line = line_of(begin, walk<false, true>(begin, {}, begin));
    for (Size r = begin; r + 1 < end; ++r) line = line_of(r + 1, walk<true, true>(r, line, r + 1));
    walk<true, false>(end - 1, line, end - 1);
  }

 private:
  // (s - mean) * rstd = s * stretch + shift.
  struct Line {
    float stretch = 0, shift = 0;
  };

  // Also notes the mean and rstd of row r.
  HWY_INLINE Line line_of(Size r, const Moments& moments) const {
    const float part = 1 / static_cast<float>(a_.cols);
    const float mean = moments.sum.sum() * part, mean_square = mean * mean;
    float variance = moments.squares.sum() * part - mean_square;
    // Far from zero the difference keeps too few digits.
    if (!(mean_square <= 8 * variance))
      variance = spread(a_.cols, (kBranch == Branch::none ? a_.x : a_.sum) + r * a_.cols, mean);
    const float rstd = 1 / std::sqrt(variance + static_cast<float>(a_.epsilon));
    a_.mean[r] = mean;
    a_.rstd[r] = rstd;
    return {rstd, -mean * rstd};
  }

  float* kept(Size r) const { return kept_ + (r & 1) * Dropout::stride(a_.cols); }
  HWY_INLINE Sum<kBranch> row(Size r) const {
    const Size first = r * a_.cols;
    return {a_.x + first, kBranch == Branch::none ? nullptr : a_.branch + first,
            kBranch == Branch::dropped ? kept(r) : nullptr};
  }

  // With kThis, writes y of row r = (sum * stretch + shift) * gain + bias; with kNext, the sum of row r_next, and
  // returns its moments.
  template <bool kThis, bool kNext>
  HWY_INLINE Moments walk(Size r, const Line& line, Size r_next) const {
    Moments moments;
    const Size cols = a_.cols;
    if (kNext && kBranch == Branch::dropped) factors_.write(r_next, cols, cols, kept(r_next));
    const Sum<kBranch> from = row(r), next = row(r_next);
    float* HWY_RESTRICT sum = kBranch == Branch::none ? nullptr : a_.sum + r_next * cols;
    const float* HWY_RESTRICT gain = a_.gain;
    const float* HWY_RESTRICT bias = a_.bias;
    float* HWY_RESTRICT y = a_.y + r * cols;
    const V stretch = hn::Set(kTag, line.stretch), shift = hn::Set(kTag, line.shift), zero = hn::Zero(kTag);
    each_four_of(next.x, cols, zero, [=, &moments](Size c, auto& v, auto lanes) DRAGOMAN_BODY {
      constexpr int kCount = length_of<decltype(v)>;
      if (kNext)
        for (int i = 0; i < kCount; ++i) {
          v[i] = next.add(v[i], c + i * kLanes, lanes);
          moments.take(v[i], i);
        }
      if (kNext && kBranch != Branch::none)
        for (int i = 0; i < kCount; ++i) lanes.store(v[i], sum + c + i * kLanes);
      if (!kThis) return;
      for (int i = 0; i < kCount; ++i) {
        const Size at = c + i * kLanes;
        const V n = hn::MulAdd(from.add(lanes.load(from.x + at), at, lanes), stretch, shift);
        v[i] = hn::MulAdd(n, lanes.load(gain + at), lanes.load(bias + at));
      }
      for (int i = 0; i < kCount; ++i) lanes.store(v[i], y + c + i * kLanes);
    });
    return moments;
  }

  const Norm<float>& a_;
  const Factors& factors_;
  float* kept_;
};

void norm(const Norm<float>& a) {
  const bool dropping = a.branch && a.dropout.rate != 0;
  const Factors factors(a.dropout);
  threads::split(a.rows, row_grain(a.cols, kGrain / 2), [&](Size begin, Size end) HWY_ATTR {
    float* kept = dropping ? scratch(Scratch::piece, 2 * Dropout::stride(a.cols)) : nullptr;
    if (!a.branch) return NormRows<Branch::none>(a, factors, kept).run(begin, end);
    if (!dropping) return NormRows<Branch::plain>(a, factors, kept).run(begin, end);
    NormRows<Branch::dropped>(a, factors, kept).run(begin, end);
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
  // The sums over the columns need little from memory for each row if two rows share them.
  static constexpr int kSide = 2;

  // A row's part in the sums: of g and of g * t, t = s - mean.
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
    write(r, line_of(first, r));
    if (kRows == 2) write(r + 1, line_of(second, r + 1));
  }

  // ds = s * slope + rstd * g + shift + dsum.
  struct Line {
    V rstd, shift, slope;
  };
  HWY_INLINE Line line_of(const Row& row, Size r) const {
    const float part = 1 / static_cast<float>(a_.cols), scale = a_.rstd[r];
    const float mean_g = hn::GetLane(hn::SumOfLanes(kTag, row.of_g)) * part;
    const float slope = -scale * scale * scale * part * hn::GetLane(hn::SumOfLanes(kTag, row.of_gt));
    return {row.rstd, hn::Set(kTag, -scale * mean_g - slope * a_.mean[r]), hn::Set(kTag, slope)};
  }

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
    const V rstd = line.rstd, shift = line.shift, slope = line.slope;
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
