// Matrix products over operands that were laid out for the register tiles beforehand: the right one in strips of
// kStripCols columns, the left one in groups of kGroupRows rows, both with k running slowest. Every element of the
// result is summed over k in order by the same multiply-add, whatever the number of rows, the tile it falls into and
// the thread that computes it: a row of the result depends on nothing but its own row of the left operand.
#if defined(DRAGOMAN_KERNELS_CPU_STRIPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_CPU_STRIPS_INL
#undef DRAGOMAN_KERNELS_CPU_STRIPS_INL
#else
#define DRAGOMAN_KERNELS_CPU_STRIPS_INL
#endif

#include <array>
#include <utility>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {

// A tile of kGroupRows rows by kStripVectors vectors, with its operands, fills the registers.
#if HWY_ARCH_ARM_A64
constexpr int kGroupRows = 8, kStripVectors = 3;
#elif HWY_MAX_BYTES == 64
constexpr int kGroupRows = 12, kStripVectors = 2;
#else
constexpr int kGroupRows = 6, kStripVectors = 2;
#endif
constexpr Size kStripCols = kStripVectors * kLanes;
// A strip's share of k that stays in the first cache while all groups of rows pass by.
constexpr Size kStripDepth = 512;

constexpr Size strips_of(Size cols) { return (cols + kStripCols - 1) / kStripCols; }

// Floats from one k to the next in a group of `rows` rows. Lanes of a vector are factors on NEON, so groups of three
// and more rows are whole vectors there.
constexpr Size group_stride(Size rows) {
#if HWY_ARCH_ARM_A64
  if (rows > 2) return round_up(rows, 4);
#endif
  return rows;
}
constexpr Size groups_size(Size rows, Size k) {
  return (rows / kGroupRows * group_stride(kGroupRows) + group_stride(rows % kGroupRows)) * k;
}

// Lays out rows x[first .. last), `first` being a multiple of kGroupRows, of an x that is [rows, k], or [k, rows] when
// `transposed`, rows of memory `stride` apart. `groups` is where row 0 goes.
inline HWY_NOINLINE void pack_groups(Size first, Size last, Size k, const float* x, Size stride, bool transposed,
                                     float* groups) {
  for (Size r = first; r < last; r += kGroupRows) {
    const Size rows = std::min<Size>(kGroupRows, last - r), step = group_stride(rows);
    float* to = groups + groups_size(r, k);
    if (!transposed) {
      transpose(rows, k, x + r * stride, stride, 1, to, step);
      continue;
    }
    for (Size i = 0; i < k; ++i, to += step) {
      std::copy_n(x + i * stride + r, rows, to);
      std::fill(to + rows, to + step, 0.0f);
    }
  }
}

// Lays out strips [first, last) of a b that is [k, cols], or [cols, k] when `transposed`.
inline HWY_NOINLINE void pack_strips(Size first, Size last, Size k, Size cols, const float* b, Size stride,
                                     bool transposed, float* strips) {
  for (Size s = first; s < last; ++s) {
    const Size col = s * kStripCols, count = std::min(kStripCols, cols - col);
    float* to = strips + s * kStripCols * k;
    if (transposed) {
      transpose(count, k, b + col * stride, stride, 1, to, kStripCols);
      continue;
    }
    for (Size i = 0; i < k; ++i, to += kStripCols) {
      std::copy_n(b + i * stride + col, count, to);
      std::fill(to + count, to + kStripCols, 0.0f);
    }
  }
}

// ---- one tile -------------------------------------------------------------------------------------------------

// A group of rows times a strip: what a tile's sums start from, take in and are written to.
struct StripTile {
  Size k = 0;
  const float* a = nullptr;
  const float* b = nullptr;
  const float* start = nullptr;  // optional: what every row's sums start from
  bool accumulate = false;       // sums start from c
  float* c = nullptr;
  Size c_stride = 0;
};

#if HWY_ARCH_ARM_A64
template <int kLane>
HWY_INLINE V add_lane_times(V sum, V left, V right) {
  return V(vfmaq_laneq_f32(sum.raw, right.raw, left.raw, kLane));
}
#endif

// The sums of a tile of kRows rows, and the work on them spelled out one by one (sum i is row i / kVectors, vector
// i % kVectors): compilers keep an array in registers only if every index is a constant from the beginning.
template <int kRows, std::size_t... i>
struct TileSums {
  static constexpr int kVectors = kStripVectors;
  V sums[kRows * kVectors];

  HWY_INLINE TileSums() {}

  HWY_INLINE void load(const float* from, Size stride) {
    ((sums[i] = hn::LoadU(kTag, from + i / kVectors * stride + i % kVectors * kLanes)), ...);
  }
  HWY_INLINE void clear() { ((sums[i] = hn::Zero(kTag)), ...); }
  HWY_INLINE void store(float* to, Size stride) const {
    (hn::StoreU(sums[i], kTag, to + i / kVectors * stride + i % kVectors * kLanes), ...);
  }
  // Adds the outer product of one k: a[0 .. kRows) times the vectors of b.
  HWY_INLINE void take_in(const float* a, const float* b) {
    V right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = hn::LoadU(kTag, b + v * kLanes);
#if HWY_ARCH_ARM_A64
    if constexpr (kRows > 2) {
      V left[(kRows + 3) / 4];
      for (int r = 0; r < kRows; r += 4) left[r / 4] = hn::LoadU(kTag, a + r);
      ((sums[i] = add_lane_times<i / kVectors % 4>(sums[i], left[i / kVectors / 4], right[i % kVectors])), ...);
      return;
    }
#endif
    ((sums[i] = hn::MulAdd(hn::Set(kTag, a[i / kVectors]), right[i % kVectors], sums[i])), ...);
  }
};
template <int kRows, std::size_t... i>
TileSums<kRows, i...> tile_sums(std::index_sequence<i...>);

template <int kRows>
HWY_NOINLINE void multiply_strip_tile(const StripTile& t) {
  decltype(tile_sums<kRows>(std::make_index_sequence<kRows * kStripVectors>())) tile;
  if (t.accumulate)
    tile.load(t.c, t.c_stride);
  else if (t.start)
    tile.load(t.start, 0);
  else
    tile.clear();
  const float* a = t.a;
  const float* b = t.b;
#pragma GCC unroll 4
  for (Size k = 0; k < t.k; ++k, a += group_stride(kRows), b += kStripCols) tile.take_in(a, b);
  tile.store(t.c, t.c_stride);
}

using StripTileFunction = void (*)(const StripTile&);
template <std::size_t... kIndex>
constexpr auto strip_tiles(std::index_sequence<kIndex...>) {
  return std::array<StripTileFunction, sizeof...(kIndex)>{multiply_strip_tile<kIndex + 1>...};
}

HWY_INLINE void multiply_strip_tile(Size rows, const StripTile& tile) {
  static constexpr auto functions = strip_tiles(std::make_index_sequence<kGroupRows>());
  functions[static_cast<std::size_t>(rows - 1)](tile);
}

// ---- a block of the result ------------------------------------------------------------------------------------

// c[rows, cols] = start + a b, or c += a b.
struct StripBlock {
  Size rows = 0, cols = 0, k = 0;
  const float* a = nullptr;      // groups of rows
  const float* b = nullptr;      // strips
  const float* start = nullptr;  // [cols], optional
  bool accumulate = false;
  float* c = nullptr;
  Size c_stride = 0;
};

// All rows by the strip from column `col` on. The depth is cut so that the strip stays in the first cache; sums rest in
// c meanwhile.
inline void multiply_strip(const StripBlock& p, Size col) {
  for (Size k = 0; k == 0 || k < p.k; k += kStripDepth) {
    StripTile tile{.k = std::min(kStripDepth, p.k - k), .b = p.b + col * p.k + k * kStripCols};
    tile.start = k == 0 && p.start ? p.start + col : nullptr;
    tile.accumulate = p.accumulate || k > 0;
    tile.c_stride = p.c_stride;
    for (Size r = 0; r < p.rows; r += kGroupRows) {
      const Size rows = std::min<Size>(kGroupRows, p.rows - r);
      tile.a = p.a + groups_size(r, p.k) + k * group_stride(rows);
      tile.c = p.c + r * p.c_stride + col;
      multiply_strip_tile(rows, tile);
    }
  }
}

// The last strip, where it is not full: computed beside c.
inline HWY_NOINLINE void multiply_last_strip(const StripBlock& p, Size col) {
  const Size count = p.cols - col;
  HWY_ALIGN float start[kStripCols] = {}, sums[kGroupRows * kStripCols];
  if (p.start) std::copy_n(p.start + col, count, start);
  for (Size r = 0; r < p.rows; r += kGroupRows) {
    StripBlock part = p;
    part.rows = std::min<Size>(kGroupRows, p.rows - r);
    part.a = p.a + groups_size(r, p.k);
    part.b = p.b + col * p.k;
    part.start = start;
    part.c = sums, part.c_stride = kStripCols;
    float* c = p.c + r * p.c_stride + col;
    if (p.accumulate)
      for (Size i = 0; i < part.rows; ++i) std::copy_n(c + i * p.c_stride, count, sums + i * kStripCols);
    multiply_strip(part, 0);
    for (Size i = 0; i < part.rows; ++i) std::copy_n(sums + i * kStripCols, count, c + i * p.c_stride);
  }
}

inline HWY_NOINLINE void multiply_block(const StripBlock& p) {
  Size col = 0;
  for (; col + kStripCols <= p.cols; col += kStripCols) multiply_strip(p, col);
  if (col < p.cols) multiply_last_strip(p, col);
}

// ---- sharing the work -----------------------------------------------------------------------------------------

// Rows whose groups are made before their products begin; they bound what a product needs of memory.
constexpr Size rows_at_once(Size k) {
  constexpr Size kFloats = Size{1} << 20;
  return std::max<Size>(8, kFloats / std::max<Size>(k, 1) / kGroupRows) * kGroupRows;
}
// Rows whose groups stay in the second cache while the strips pass by.
constexpr Size rows_in_cache(Size k) {
  constexpr Size kFloats = 96 * 1024;
  return std::max<Size>(2, kFloats / std::max<Size>(k, 1) / kGroupRows) * kGroupRows;
}

// The groups of x [rows, k], made by all threads in `memory`. One row is its own group.
inline const float* lay_out_rows(Size rows, Size k, const float* x, float* memory) {
  if (rows == 1) return x;
  const Size groups = (rows + kGroupRows - 1) / kGroupRows;
  threads::split(groups, row_grain(k * kGroupRows), [&](Size begin, Size end) {
    pack_groups(begin * kGroupRows, std::min(end * kGroupRows, rows), k, x, k, false, memory);
  });
  return memory;
}

// How a product is cut for the threads: blocks of rows by ranges of `units` units of columns each, a few pieces for
// every thread so that a thread that is held up leaves its work to the others.
struct StripGrid {
  Size rows = 0, units = 0, block = 1, row_blocks = 0, ranges = 1;

  StripGrid(Size row_count, Size unit_count, Size unit_cols, Size k, Size rows_a_block)
      : rows(row_count),
        units(unit_count),
        block(rows_a_block),
        row_blocks((row_count + rows_a_block - 1) / rows_a_block) {
    const Size threads = threads::count();
    if (threads == 1 || row_blocks == 0) return;
    // To read a number of the right operand takes as long as to multiply with it a few times.
    constexpr Size kReading = 4;
    const Size worth = (std::min(row_count, block) + kReading) * unit_count * unit_cols * k / kProductGrain;
    ranges = std::clamp<Size>((3 * threads + row_blocks - 1) / row_blocks, 1, std::max<Size>(1, worth));
    ranges = std::min(ranges, std::max<Size>(1, unit_count));
  }

  Size count() const { return row_blocks * ranges; }
  Size first_row(Size piece) const { return piece / ranges * block; }
  Size row_count(Size piece) const { return std::min(block, rows - first_row(piece)); }
  Size range(Size piece) const { return piece % ranges; }
  Size first_unit(Size piece) const { return units * range(piece) / ranges; }
  Size last_unit(Size piece) const { return units * (range(piece) + 1) / ranges; }
};

}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
