// Matrix products of packed operands (Goto & van de Geijn 2008): the right operand is packed into column panels of
// kMicroCols columns, the left one into row panels of kMicroRows rows, both with k as the slowest index; a micro-kernel
// multiplies a row panel by a column panel. Every element of the result is summed in the order of k by fused
// multiply-adds, whatever the number of rows, the register tile and the thread: a row of the result depends only on its
// own row of the left operand, to the bit.
#if defined(DRAGOMAN_KERNELS_CPU_PACKED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_CPU_PACKED_INL
#undef DRAGOMAN_KERNELS_CPU_PACKED_INL
#else
#define DRAGOMAN_KERNELS_CPU_PACKED_INL
#endif

#include <hwy/cache_control.h>

#include <array>
#include <utility>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {

// The register tile of the micro-kernel, kMicroRows rows by kMicroVectors vectors, fills the register file with its
// operands.
#if HWY_ARCH_ARM_A64
constexpr int kMicroRows = 8, kMicroVectors = 3;
#elif HWY_MAX_BYTES == 64
constexpr int kMicroRows = 12, kMicroVectors = 2;
#else
constexpr int kMicroRows = 6, kMicroVectors = 2;
#endif
constexpr Size kMicroCols = kMicroVectors * kLanes;
// The depth (part of k) of a column panel that stays in the L1 cache while all row panels are multiplied by it.
constexpr Size kPanelDepth = 512;
// How far ahead a column panel is fetched, in floats. NEON's own prefetching is better without.
constexpr Size kFetchedAhead = HWY_ARCH_X86 ? 1024 : 0;

constexpr Size column_panels(Size cols) { return (cols + kMicroCols - 1) / kMicroCols; }

// Floats from one k to the next in a row panel of `rows` rows. NEON multiplies by lanes of a vector, so panels of three
// and more rows are padded to whole vectors there.
constexpr Size row_panel_stride(Size rows) {
#if HWY_ARCH_ARM_A64
  if (rows > 2) return round_up(rows, 4);
#endif
  return rows;
}
constexpr Size row_panels_size(Size rows, Size k) {
  return (rows / kMicroRows * row_panel_stride(kMicroRows) + row_panel_stride(rows % kMicroRows)) * k;
}

// Packs the rows x[first .. last), where `first` is a multiple of kMicroRows. x is [rows, k], or [k, rows] when
// `transposed`, with `stride` between rows in memory. `panels` is the start of all panels, where row 0 goes.
inline HWY_NOINLINE void pack_row_panels(Size first, Size last, Size k, const float* x, Size stride, bool transposed,
                                         float* panels) {
  for (Size r = first; r < last; r += kMicroRows) {
    const Size rows = std::min<Size>(kMicroRows, last - r), step = row_panel_stride(rows);
    float* to = panels + row_panels_size(r, k);
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

// Packs the column panels [first, last) of b, which is [k, cols], or [cols, k] when `transposed`.
inline HWY_NOINLINE void pack_column_panels(Size first, Size last, Size k, Size cols, const float* b, Size stride,
                                            bool transposed, float* panels) {
  for (Size s = first; s < last; ++s) {
    const Size col = s * kMicroCols, count = std::min(kMicroCols, cols - col);
    float* to = panels + s * kMicroCols * k;
    if (transposed) {
      transpose(count, k, b + col * stride, stride, 1, to, kMicroCols);
      continue;
    }
    for (Size i = 0; i < k; ++i, to += kMicroCols) {
      std::copy_n(b + i * stride + col, count, to);
      std::fill(to + count, to + kMicroCols, 0.0f);
    }
  }
}

// ---- micro-kernel ---------------------------------------------------------------------------------------------

// A row panel times one or more column panels: operands, initial values and result of one register tile.
struct MicroTile {
  Size k = 0;
  const float* a = nullptr;
  const float* b = nullptr;
  Size b_stride = 0;             // from one column panel to the next
  const float* start = nullptr;  // optional: initial values of every row
  bool accumulate = false;       // initial values are those of c
  float* c = nullptr;
  Size c_stride = 0;
};

#if HWY_ARCH_ARM_A64
template <int kLane>
HWY_INLINE V add_lane_times(V sum, V left, V right) {
  return V(vfmaq_laneq_f32(sum.raw, right.raw, left.raw, kLane));
}
#endif

// How many column panels a tile of few rows is multiplied by at a time, as far as the registers hold the sums and the
// operands. Such a product reads each weight once, and x86-64 CPUs read several streams of memory faster than one.
constexpr int panels_at_once(Size rows) {
  constexpr Size kRegisters = HWY_MAX_BYTES == 64 ? 32 : 16, kMost = 4;
  if (!HWY_ARCH_X86) return 1;
  return static_cast<int>(std::clamp<Size>((kRegisters - 1) / (kMicroVectors * (rows + 1)), 1, kMost));
}

// The accumulators of a register tile of kRows rows and kPanels column panels. Loops over them are fold expressions
// (accumulator i is row i / kVectors, vector i % kVectors), because compilers keep an array in registers only if every
// index is a constant.
template <int kRows, int kPanels, std::size_t... i>
struct Accumulators {
  static constexpr int kVectors = kPanels * kMicroVectors;
  V sums[kRows * kVectors];

  HWY_INLINE Accumulators() {}

  HWY_INLINE void load(const float* from, Size stride) {
    ((sums[i] = hn::LoadU(kTag, from + i / kVectors * stride + i % kVectors * kLanes)), ...);
  }
  HWY_INLINE void clear() { ((sums[i] = hn::Zero(kTag)), ...); }
  HWY_INLINE void store(float* to, Size stride) const {
    (hn::StoreU(sums[i], kTag, to + i / kVectors * stride + i % kVectors * kLanes), ...);
  }
  // Adds the outer product of one k: a[0 .. kRows) times the vectors of b.
  HWY_INLINE void add_outer_product(const float* a, const float* b, Size b_stride) {
    V right[kVectors];
    for (int v = 0; v < kVectors; ++v)
      right[v] = hn::LoadU(kTag, b + v / kMicroVectors * b_stride + v % kMicroVectors * kLanes);
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
template <int kRows, int kPanels, std::size_t... i>
Accumulators<kRows, kPanels, i...> accumulators(std::index_sequence<i...>);

template <int kRows, int kPanels>
HWY_NOINLINE void micro_kernel(const MicroTile& t) {
  decltype(accumulators<kRows, kPanels>(std::make_index_sequence<kRows * kPanels * kMicroVectors>())) tile;
  if (t.accumulate)
    tile.load(t.c, t.c_stride);
  else if (t.start)
    tile.load(t.start, 0);
  else
    tile.clear();
  const float* a = t.a;
  const float* b = t.b;
  const Size b_stride = kPanels > 1 ? t.b_stride : 0;
#pragma GCC unroll 4
  for (Size k = 0; k < t.k; ++k, a += row_panel_stride(kRows), b += kMicroCols) {
    if constexpr (kFetchedAhead > 0)
      for (int panel = 0; panel < kPanels; ++panel)
        for (Size line = 0; line < kMicroCols; line += 16)
          hwy::Prefetch(b + panel * b_stride + kFetchedAhead / kPanels + line);
    tile.add_outer_product(a, b, b_stride);
  }
  tile.store(t.c, t.c_stride);
}

// Kernels for 1, 2, ... kMicroRows rows times one column panel, or times as many as go at once.
using MicroKernel = void (*)(const MicroTile&);
template <int kRows, bool kOne>
constexpr MicroKernel kMicroKernel = micro_kernel<kRows, kOne ? 1 : panels_at_once(kRows)>;
template <bool kOne, std::size_t... kIndex>
constexpr auto micro_kernels(std::index_sequence<kIndex...>) {
  return std::array<MicroKernel, sizeof...(kIndex)>{kMicroKernel<kIndex + 1, kOne>...};
}

HWY_INLINE void micro_kernel(Size rows, int panels, const MicroTile& tile) {
  static constexpr auto one = micro_kernels<true>(std::make_index_sequence<kMicroRows>());
  static constexpr auto several = micro_kernels<false>(std::make_index_sequence<kMicroRows>());
  (panels == 1 ? one : several)[static_cast<std::size_t>(rows - 1)](tile);
}

// ---- a block of the result ------------------------------------------------------------------------------------

// c[rows, cols] = start + a b, or c += a b.
struct PackedBlock {
  Size rows = 0, cols = 0, k = 0;
  const float* a = nullptr;      // row panels
  const float* b = nullptr;      // column panels
  const float* start = nullptr;  // [cols], optional
  bool accumulate = false;
  float* c = nullptr;
  Size c_stride = 0;
};

// All rows times the column panel that starts at column `col`, or times several of them. k is split so that a panel
// stays in the L1 cache; partial sums are kept in c.
inline void multiply_column_panels(const PackedBlock& p, Size col, int panels) {
  for (Size k = 0; k == 0 || k < p.k; k += kPanelDepth) {
    MicroTile tile{.k = std::min(kPanelDepth, p.k - k), .b = p.b + col * p.k + k * kMicroCols};
    tile.b_stride = p.k * kMicroCols;
    tile.start = k == 0 && p.start ? p.start + col : nullptr;
    tile.accumulate = p.accumulate || k > 0;
    tile.c_stride = p.c_stride;
    for (Size r = 0; r < p.rows; r += kMicroRows) {
      const Size rows = std::min<Size>(kMicroRows, p.rows - r);
      tile.a = p.a + row_panels_size(r, p.k) + k * row_panel_stride(rows);
      tile.c = p.c + r * p.c_stride + col;
      micro_kernel(rows, panels, tile);
    }
  }
}

// The last column panel, if it is not full: computed in a buffer and copied to c.
inline HWY_NOINLINE void multiply_last_panel(const PackedBlock& p, Size col) {
  const Size count = p.cols - col;
  HWY_ALIGN float start[kMicroCols] = {}, sums[kMicroRows * kMicroCols];
  if (p.start) std::copy_n(p.start + col, count, start);
  for (Size r = 0; r < p.rows; r += kMicroRows) {
    PackedBlock part = p;
    part.rows = std::min<Size>(kMicroRows, p.rows - r);
    part.a = p.a + row_panels_size(r, p.k);
    part.b = p.b + col * p.k;
    part.start = start;
    part.c = sums, part.c_stride = kMicroCols;
    float* c = p.c + r * p.c_stride + col;
    if (p.accumulate)
      for (Size i = 0; i < part.rows; ++i) std::copy_n(c + i * p.c_stride, count, sums + i * kMicroCols);
    multiply_column_panels(part, 0, 1);
    for (Size i = 0; i < part.rows; ++i) std::copy_n(sums + i * kMicroCols, count, c + i * p.c_stride);
  }
}

inline HWY_NOINLINE void multiply_block(const PackedBlock& p) {
  Size col = 0;
  if (const int panels = panels_at_once(p.rows); panels > 1)
    for (; col + panels * kMicroCols <= p.cols; col += panels * kMicroCols) multiply_column_panels(p, col, panels);
  for (; col + kMicroCols <= p.cols; col += kMicroCols) multiply_column_panels(p, col, 1);
  if (col < p.cols) multiply_last_panel(p, col);
}

// ---- whole products -------------------------------------------------------------------------------------------

// A product of packed operands in the format of the activations: x [rows, k] times a packed weight. The constructor
// packs the rows into `memory` of memory_size() floats, in parallel; then any thread computes any block of the result.
class PlainProduct {
 public:
  static constexpr Size kCols = kMicroCols, kRows = kMicroRows;
  // Relative costs of a multiply-add and of loading an element of the weight.
  static constexpr Size kSpeed = 1, kReading = 4;

  // Number of rows that are packed at a time; bounds the memory of a product.
  static constexpr Size rows_at_once(Size k) { return rows_of(Size{1} << 20, k, 8); }
  // Number of rows whose panels stay in the L2 cache while they are multiplied by all column panels.
  static constexpr Size rows_in_cache(Size k) { return rows_of(96 * 1024, k, 2); }
  // Threads share a product of `rows` rows in units of this many column panels.
  static constexpr Size panels_at_once(Size rows) { return HWY_NAMESPACE::panels_at_once(rows); }
  // A single row needs no packing.
  static constexpr Size memory_size(WeightFormat, Size rows, Size k) {
    return rows == 1 ? 0 : row_panels_size(rows, k);
  }

  PlainProduct(WeightFormat, Size rows, Size k, Size, const float* x, const void* packed, float* memory)
      : k_(k), rows_(rows == 1 ? x : memory), weights_(static_cast<const float*>(packed)) {
    if (rows == 1) return;
    const Size panels = (rows + kMicroRows - 1) / kMicroRows;
    threads::split(panels, row_grain(k * kMicroRows), [&](Size begin, Size end) {
      pack_row_panels(begin * kMicroRows, std::min(end * kMicroRows, rows), k, x, k, false, memory);
    });
  }

  // `row` and `col` are multiples of kRows and kCols; bias [cols] is optional.
  void multiply(const Block& block, const float* bias, float* c, Size c_stride) const {
    multiply_block({.rows = block.rows,
                    .cols = block.cols,
                    .k = k_,
                    .a = rows_ + row_panels_size(block.row, k_),
                    .b = weights_ + block.col * k_,
                    .start = bias,
                    .c = c,
                    .c_stride = c_stride});
  }

 private:
  static constexpr Size rows_of(Size floats, Size k, Size least) {
    return std::max<Size>(least, floats / std::max<Size>(k, 1) / kMicroRows) * kMicroRows;
  }
  Size k_;
  const float* rows_;
  const float* weights_;
};

// Partition of a product for the threads: blocks of rows times ranges of `units` units of columns. There are a few
// pieces per thread, so that others take over the work of a delayed one.
struct PackedGrid {
  Size rows = 0, units = 0, block = 1, row_blocks = 0, ranges = 1;

  // `speed` and `reading`: costs, as PlainProduct's.
  PackedGrid(Size row_count, Size unit_count, Size unit_cols, Size k, Size rows_a_block, Size speed, Size reading)
      : rows(row_count),
        units(unit_count),
        block(rows_a_block),
        row_blocks((row_count + rows_a_block - 1) / rows_a_block) {
    const Size threads = threads::count();
    if (threads == 1 || row_blocks == 0) return;
    const Size worth = (std::min(row_count, block) + reading) * unit_count * unit_cols * k / speed / kProductGrain;
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
