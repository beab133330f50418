#include <algorithm>
#include <bit>
#include <cmath>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rows.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

void gather_rows(const GatherRows<float>& a) {
  threads::split(a.rows, row_grain(a.cols), [&](Size begin, Size end) HWY_ATTR {
    const V scale = splat(a.scale);
    for (Size r = begin; r < end; ++r) {
      // Rows of the table are read in random order, so the hardware prefetcher cannot help.
      if (r + 1 < end) prefetch(a.table + a.index[r + 1] * a.cols, a.cols);
      const float* from = a.table + a.index[r] * a.cols;
      const float* position = a.positions ? a.positions + a.position[r] * a.cols : nullptr;
      each_four_of(from, a.cols, hn::Zero(kTag), [=, y = a.y + r * a.cols](Size c, auto& v, auto lanes) HWY_ATTR {
        constexpr int kCount = length_of<decltype(v)>;
        for (int i = 0; i < kCount; ++i)
          v[i] = position ? hn::MulAdd(scale, v[i], lanes.load(position + c + i * kLanes)) : hn::Mul(scale, v[i]);
        for (int i = 0; i < kCount; ++i) lanes.store(v[i], y + c + i * kLanes);
      });
    }
  });
}

// Sorts the rows by index with a stable radix sort between the two halves of the workspace. Returns the half that holds
// the result.
const std::int32_t* sort_rows(const ScatterRows<float>& a) {
  constexpr int kBits = 11;
  constexpr Size kBuckets = Size{1} << kBits;
  std::int32_t* from = a.workspace;
  std::int32_t* to = a.workspace + a.rows;
  for (Size r = 0; r < a.rows; ++r) from[r] = static_cast<std::int32_t>(r);
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<Size>(a.table_rows - 1, 0))));
  for (int shift = 0; shift < bits; shift += kBits) {
    const auto bucket = [&](std::int32_t row) { return (a.index[row] >> shift) & (kBuckets - 1); };
    std::int32_t place[kBuckets + 1] = {};
    for (Size r = 0; r < a.rows; ++r) ++place[bucket(from[r]) + 1];
    for (Size b = 0; b < kBuckets; ++b) place[b + 1] += place[b];
    for (Size r = 0; r < a.rows; ++r) to[place[bucket(from[r])]++] = from[r];
    std::swap(from, to);
  }
  return from;
}

// Adds the rows sorted[begin .. end), which have the same index, to their row of the table, in this order.
HWY_INLINE void add_run(const ScatterRows<float>& a, const std::int32_t* sorted, Size begin, Size end, V scale) {
  float* to = a.dtable + a.index[sorted[begin]] * a.cols;
  for (; begin + 2 <= end; begin += 2) {
    const float* first = a.dy + sorted[begin] * a.cols;
    const float* second = a.dy + sorted[begin + 1] * a.cols;
    each_vector(0, a.cols, [=](Size c, auto lanes) HWY_ATTR {
      const V sum = hn::MulAdd(scale, lanes.load(first + c), lanes.load(to + c));
      lanes.store(hn::MulAdd(scale, lanes.load(second + c), sum), to + c);
    });
  }
  if (begin == end) return;
  const float* from = a.dy + sorted[begin] * a.cols;
  each_vector(0, a.cols, [=](Size c, auto lanes) HWY_ATTR {
    lanes.store(hn::MulAdd(scale, lanes.load(from + c), lanes.load(to + c)), to + c);
  });
}

void scatter_rows(const ScatterRows<float>& a) {
  if (a.rows == 0) return;
  const std::int32_t* sorted = sort_rows(a);
  const auto starts_run = [&](Size i) { return i == 0 || i >= a.rows || a.index[sorted[i]] != a.index[sorted[i - 1]]; };
  threads::split(a.rows, row_grain(a.cols), [&](Size begin, Size end) HWY_ATTR {
    const V scale = splat(a.scale);
    constexpr Size kAhead = 2;
    // A run of equal indices belongs to the piece in which it starts.
    while (begin < end && !starts_run(begin)) ++begin;
    for (Size next, asked = begin; begin < end; begin = next) {
      for (next = begin + 1; !starts_run(next);) ++next;
      for (; asked < std::min(next + kAhead, end); ++asked) prefetch(a.dy + sorted[asked] * a.cols, a.cols);
      add_run(a, sorted, begin, next, scale);
    }
  });
}

void copy_rows(const CopyBlock<float>& a, Size begin, Size end) {
  for (Size r = begin; r < end; ++r) {
    const float* from = a.from + r * a.from_stride;
    float* to = a.to + r * a.to_stride;
    if (a.accumulate)
      each_vector(0, a.cols, [&](Size c, auto lanes) HWY_ATTR {
        lanes.store(hn::Add(lanes.load(to + c), lanes.load(from + c)), to + c);
      });
    else
      std::copy_n(from, a.cols, to);
  }
}

void copy_block(const CopyBlock<float>& a) {
  const bool whole = a.cols == a.from_stride && a.cols == a.to_stride;
  if (!whole) return threads::split(a.rows, row_grain(a.cols), [&](Size begin, Size end) { copy_rows(a, begin, end); });
  threads::split(a.rows * a.cols, kGrain, [&](Size begin, Size end) {
    CopyBlock<float> piece = a;
    piece.cols = end - begin;
    piece.from += begin;
    piece.to += begin;
    copy_rows(piece, 0, 1);
  });
}

// Cosines and sines are computed once per position and used for all heads of a row. Consecutive rows with the same
// position (a step of beam search) share them, too.
void rotate_rows(const Rotate<float>& a, Size begin, Size end, const double* turns) {
  const Size half = a.size / 2;
  float* cosine = scratch(Scratch::piece, 2 * half);
  float* sine = cosine + half;
  for (Size r = begin; r < end; ++r) {
    if (r == begin || a.position[r] != a.position[r - 1])
      for (Size i = 0; i < half; ++i) {
        const double angle = (a.inverse ? -1 : 1) * a.position[r] * turns[i];
        cosine[i] = static_cast<float>(std::cos(angle));
        sine[i] = static_cast<float>(std::sin(angle));
      }
    for (Size h = 0; h < a.heads; ++h) {
      const float* x = a.x + r * a.x_stride + h * a.size;
      float* y = a.y + r * a.y_stride + h * a.size;
      each_vector(0, half, [&](Size i, auto lanes) HWY_ATTR {
        const V c = lanes.load(cosine + i), s = lanes.load(sine + i);
        const V first = lanes.load(x + i), second = lanes.load(x + half + i);
        put(lanes, hn::MulSub(first, c, hn::Mul(second, s)), y + i, a.accumulate);
        put(lanes, hn::MulAdd(first, s, hn::Mul(second, c)), y + half + i, a.accumulate);
      });
    }
  }
}

void rotate(const Rotate<float>& a) {
  const Size half = a.size / 2;
  auto* turns = reinterpret_cast<double*>(scratch(Scratch::shared, 2 * half));
  for (Size i = 0; i < half; ++i)
    turns[i] = std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(a.size));
  threads::split(a.rows, row_grain(a.size * (a.heads + 16)),
                 [&](Size begin, Size end) { rotate_rows(a, begin, end, turns); });
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(gather_rows);
HWY_EXPORT(scatter_rows);
HWY_EXPORT(copy_block);
HWY_EXPORT(rotate);

void fill_rows(Kernels<float>& kernels) {
  kernels.gather_rows = [](const auto& a) { HWY_DYNAMIC_DISPATCH(gather_rows)(a); };
  kernels.scatter_rows = [](const auto& a) { HWY_DYNAMIC_DISPATCH(scatter_rows)(a); };
  kernels.copy_block = [](const auto& a) { HWY_DYNAMIC_DISPATCH(copy_block)(a); };
  kernels.rotate = [](const auto& a) { HWY_DYNAMIC_DISPATCH(rotate)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
