// Small matrix products on one thread with register tiles: a tile of the result stays in registers while outer products
// are added to it. For operands that are used once or are already in the cache, where the packing of a BLAS library
// would cost more than the arithmetic. Every element is summed in the order of k, so a row of the result does not
// depend on the number of other rows.
#if defined(DRAGOMAN_KERNELS_CPU_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_CPU_TILE_INL
#undef DRAGOMAN_KERNELS_CPU_TILE_INL
#else
#define DRAGOMAN_KERNELS_CPU_TILE_INL
#endif

#include <atomic>

#include "kernels/cpu/product.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {

// A tile of 4 rows by kTileVectors vectors, together with its operands, fills the register file.
constexpr int kTileRows = 4;
#if HWY_ARCH_ARM_A64 || HWY_MAX_BYTES == 64
constexpr int kTileVectors = 4;
#else
constexpr int kTileVectors = 2;
#endif
constexpr Size kTileCols = kTileVectors * kLanes;

// Adds one outer product to a tile: lane kLane of each left vector (or, for -1, a broadcast left vector) times a row of
// b.
template <int kLane, int kRows, int kVectors, class Lanes>
HWY_INLINE void add_outer_product(V (&sums)[kRows][kVectors], const V (&left)[kRows], const float* b, Lanes lanes) {
  for (int v = 0; v < kVectors; ++v) {
    const V right = lanes.load(b + v * kLanes);
    for (int r = 0; r < kRows; ++r) {
#if HWY_ARCH_ARM_A64
      if constexpr (kLane >= 0) {
        sums[r][v] = V(vfmaq_laneq_f32(sums[r][v].raw, right.raw, left[r].raw, kLane));
        continue;
      }
#endif
      sums[r][v] = hn::MulAdd(left[r], right, sums[r][v]);
    }
  }
}

#if HWY_ARCH_ARM_A64
// A compiler barrier: keeps the loads of one outer product out of the next. Mixed, fused multiply-adds to the same sum
// come close together and stall on their latency (a tenth of the throughput on Neoverse-N1).
HWY_INLINE void keep_order() { std::atomic_signal_fence(std::memory_order_seq_cst); }

// The same with the left factors of four rows in the lanes of one vector.
template <int kVectors, class Lanes>
HWY_INLINE void add_outer_product_lanes(V (&sums)[4][kVectors], V left, const float* b, Lanes lanes) {
  for (int v = 0; v < kVectors; ++v) {
    const V right = lanes.load(b + v * kLanes);
    sums[0][v] = V(vfmaq_laneq_f32(sums[0][v].raw, right.raw, left.raw, 0));
    sums[1][v] = V(vfmaq_laneq_f32(sums[1][v].raw, right.raw, left.raw, 1));
    sums[2][v] = V(vfmaq_laneq_f32(sums[2][v].raw, right.raw, left.raw, 2));
    sums[3][v] = V(vfmaq_laneq_f32(sums[3][v].raw, right.raw, left.raw, 3));
  }
}
#endif

// The tile of c at (i, j): kRows by kVectors vectors.
template <bool kTransposedA, int kRows, int kVectors, class Lanes>
HWY_INLINE void multiply_tile(const MatrixProduct& p, Size i, Size j, Lanes lanes) {
  V sums[kRows][kVectors];
  float* c = p.c + i * p.c_stride + j;
  const float* a = p.a + (kTransposedA ? i : i * p.a_stride);
  const float* b = p.b + j;
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v)
      sums[r][v] = p.beta != 0 ? lanes.load(c + r * p.c_stride + v * kLanes) : hn::Zero(kTag);
  Size k = 0;
#if HWY_ARCH_ARM_A64
  // NEON multiplies by one lane of a vector, which saves the broadcast.
  if constexpr (!kTransposedA) {
    for (; k + 4 <= p.k; k += 4, b += 4 * p.b_stride) {
      V left[kRows];
      for (int r = 0; r < kRows; ++r) left[r] = hn::LoadU(kTag, a + r * p.a_stride + k);
      add_outer_product<0, kRows, kVectors>(sums, left, b, lanes);
      keep_order();
      add_outer_product<1, kRows, kVectors>(sums, left, b + p.b_stride, lanes);
      keep_order();
      add_outer_product<2, kRows, kVectors>(sums, left, b + 2 * p.b_stride, lanes);
      keep_order();
      add_outer_product<3, kRows, kVectors>(sums, left, b + 3 * p.b_stride, lanes);
    }
  } else if constexpr (kRows == 4) {
    for (; k < p.k; ++k, b += p.b_stride) add_outer_product_lanes(sums, hn::LoadU(kTag, a + k * p.a_stride), b, lanes);
  }
#endif
  for (; k < p.k; ++k, b += p.b_stride) {
    V left[kRows];
    for (int r = 0; r < kRows; ++r)
      left[r] = hn::Set(kTag, kTransposedA ? a[k * p.a_stride + r] : a[r * p.a_stride + k]);
    add_outer_product<-1, kRows, kVectors>(sums, left, b, lanes);
  }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) lanes.store(sums[r][v], c + r * p.c_stride + v * kLanes);
}

// All rows of one block of columns.
template <bool kTransposedA, int kVectors, class Lanes>
HWY_INLINE void multiply_columns(const MatrixProduct& p, Size j, Lanes lanes) {
  Size i = 0;
  for (; i + kTileRows <= p.m; i += kTileRows) multiply_tile<kTransposedA, kTileRows, kVectors>(p, i, j, lanes);
  switch (p.m - i) {
    case 3: return multiply_tile<kTransposedA, 3, kVectors>(p, i, j, lanes);
    case 2: return multiply_tile<kTransposedA, 2, kVectors>(p, i, j, lanes);
    case 1: return multiply_tile<kTransposedA, 1, kVectors>(p, i, j, lanes);
    default: return;
  }
}

// c = op(a) b, or c += op(a) b when beta is 1. b is not transposed and alpha is 1.
template <bool kTransposedA>
HWY_NOINLINE void multiply_tiles(const MatrixProduct& p) {
  Size j = 0;
  for (; j + kTileCols <= p.n; j += kTileCols) multiply_columns<kTransposedA, kTileVectors>(p, j, Whole{});
  if (kTileVectors > 2 && j + 2 * kLanes <= p.n) {
    multiply_columns<kTransposedA, 2>(p, j, Whole{});
    j += 2 * kLanes;
  }
  if (j + kLanes <= p.n) {
    multiply_columns<kTransposedA, 1>(p, j, Whole{});
    j += kLanes;
  }
  if (j < p.n) multiply_columns<kTransposedA, 1>(p, j, Rest{p.n - j});
}

// Stores the transpose of four rows of four elements.
template <class Four, class Row, class T>
HWY_INLINE void store_transposed(Four tag, Row r0, Row r1, Row r2, Row r3, T* to, Size stride) {
  const auto low01 = hn::InterleaveLower(tag, r0, r1), low23 = hn::InterleaveLower(tag, r2, r3);
  const auto high01 = hn::InterleaveUpper(tag, r0, r1), high23 = hn::InterleaveUpper(tag, r2, r3);
  hn::StoreU(hn::ConcatLowerLower(tag, low23, low01), tag, to);
  hn::StoreU(hn::ConcatUpperUpper(tag, low23, low01), tag, to + stride);
  hn::StoreU(hn::ConcatLowerLower(tag, high23, high01), tag, to + 2 * stride);
  hn::StoreU(hn::ConcatUpperUpper(tag, high23, high01), tag, to + 3 * stride);
}

// to[d][j] = scale * from[j][d] for j < rows, d < cols; columns of `to` from `rows` up to its stride are filled with
// zeros.
inline HWY_NOINLINE void transpose(Size rows, Size cols, const float* from, Size from_stride, float scale, float* to,
                                   Size to_stride) {
  using Four4 = hn::FixedTag<float, 4>;
  constexpr Four4 tag;
  const auto by = hn::Set(tag, scale);
  Size j = 0;
  for (; j + 4 <= rows; j += 4) {
    const float* row = from + j * from_stride;
    Size d = 0;
    for (; d + 4 <= cols; d += 4) {
      const auto r0 = hn::Mul(by, hn::LoadU(tag, row + d)), r1 = hn::Mul(by, hn::LoadU(tag, row + from_stride + d));
      const auto r2 = hn::Mul(by, hn::LoadU(tag, row + 2 * from_stride + d));
      const auto r3 = hn::Mul(by, hn::LoadU(tag, row + 3 * from_stride + d));
      store_transposed(tag, r0, r1, r2, r3, to + d * to_stride + j, to_stride);
    }
    for (; d < cols; ++d)
      for (Size e = 0; e < 4; ++e) to[d * to_stride + j + e] = scale * row[e * from_stride + d];
  }
  for (Size d = 0; d < cols; ++d) {
    for (Size e = j; e < rows; ++e) to[d * to_stride + e] = scale * from[e * from_stride + d];
    for (Size e = rows; e < to_stride; ++e) to[d * to_stride + e] = 0;
  }
}

}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
