#include <algorithm>

#include "kernels/cuda/filling.h"
#include "kernels/cuda/products/product.h"
#include "kernels/cuda/products/tiles.cuh"
#include "kernels/cuda/runtime/dependent_launch.cuh"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kDepth = 16, kEach = 4;
constexpr int kAcross = kTile / kEach, kThreads = kAcross * kAcross;

// Arguments shared by all products of a group.
template <class T>
struct Group {
  const Product* products;  // in device memory; null where there is only `one`
  Product one;
  bool transposed_a, transposed_b, accumulate;
  float alpha;
  const T *a, *b;
  T* c;

  __device__ Product product(Size i) const { return products != nullptr ? products[i] : one; }
};

// Element (i, j) of op(x), and zero outside of its `rows` x `cols`.
template <class T>
__device__ float element(const T* x, Size stride, bool transposed, Size i, Size j, Size rows, Size cols) {
  if (i >= rows || j >= cols) return 0;
  return to_float(transposed ? x[j * stride + i] : x[i * stride + j]);
}

// Computes the tile at (row, col) of one product, staged through shared memory; each thread adds to a register tile of
// 4 x 4 sums.
template <class T>
__device__ void add_tile(const Group<T>& g, const Product& p, Size row, Size col, float (&left)[kDepth][kTile + 1],
                         float (&right)[kDepth][kTile + 1], float (&sums)[kEach][kEach]) {
  const int ty = threadIdx.x / kAcross, tx = threadIdx.x % kAcross;
  for (Size depth = 0; depth < p.k; depth += kDepth) {
    __syncthreads();
    for (int e = threadIdx.x; e < kTile * kDepth; e += kThreads) {
      // Neighbouring threads read adjacent elements, so that loads are coalesced.
      const int i = g.transposed_a ? e % kTile : e / kDepth, l = g.transposed_a ? e / kTile : e % kDepth;
      left[l][i] = element(g.a + p.a, p.a_stride, g.transposed_a, row + i, depth + l, p.m, p.k);
      const int j = g.transposed_b ? e / kDepth : e % kTile, n = g.transposed_b ? e % kDepth : e / kTile;
      right[n][j] = element(g.b + p.b, p.b_stride, g.transposed_b, depth + n, col + j, p.k, p.n);
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      float x[kEach], y[kEach];
#pragma unroll
      for (int e = 0; e < kEach; ++e) x[e] = left[l][ty + e * kAcross], y[e] = right[l][tx + e * kAcross];
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j) sums[i][j] += x[i] * y[j];
    }
  }
}

// A block's product, and the first row and column of its tile.
template <class T>
struct TilePlace {
  Product p;
  Size row, col;

  __device__ explicit TilePlace(const Group<T>& g)
      : p(g.product(blockIdx.z)),
        row(static_cast<Size>(blockIdx.y) * kTile),
        col(static_cast<Size>(blockIdx.x) * kTile) {}
  __device__ bool empty() const { return row >= p.m || col >= p.n; }
};

template <class T>
__device__ void put_sum(const Group<T>& g, const Product& p, Size r, Size c, float value) {
  if (r < p.m && c < p.n) put(g.c[p.c + r * p.c_stride + c], g.alpha * value, g.accumulate);
}

// One block per tile of each product.
template <class T>
__global__ void multiply_group(Group<T> g) {
  __shared__ float left[kDepth][kTile + 1], right[kDepth][kTile + 1];
  wait_for_previous_kernel();
  const TilePlace<T> at(g);
  if (at.empty()) return;
  float sums[kEach][kEach] = {};
  add_tile(g, at.p, at.row, at.col, left, right, sums);
  const int ty = threadIdx.x / kAcross, tx = threadIdx.x % kAcross;
  for (int i = 0; i < kEach; ++i)
    for (int j = 0; j < kEach; ++j) put_sum(g, at.p, at.row + ty + i * kAcross, at.col + tx + j * kAcross, sums[i][j]);
}

// The same on tensor cores, with four warps per block.
__global__ void __launch_bounds__(128) multiply_group_tiles(Group<bf16> g) {
  __shared__ Tile left, right;
  wait_for_previous_kernel();
  const TilePlace<bf16> at(g);
  if (at.empty()) return;
  const Product& p = at.p;
  const auto m = static_cast<int>(p.m - at.row), n = static_cast<int>(p.n - at.col);
  const int warp_row = static_cast<int>(threadIdx.x) / kWarp * 16, l = lane();
  Rows sums;
  sums.clear();
  for (Size depth = 0; depth < p.k; depth += kTile) {
    const auto k = static_cast<int>(p.k - depth);
    __syncthreads();
    if (g.transposed_a)
      load_tile<128>(left, g.a + p.a + depth * p.a_stride + at.row, p.a_stride, k, m);
    else
      load_tile<128>(left, g.a + p.a + at.row * p.a_stride + depth, p.a_stride, m, k);
    if (g.transposed_b)
      load_tile<128>(right, g.b + p.b + at.col * p.b_stride + depth, p.b_stride, n, k);
    else
      load_tile<128>(right, g.b + p.b + depth * p.b_stride + at.col, p.b_stride, k, n);
    wait_for_tiles();
    if (warp_row >= m) continue;
    Quad rows[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      rows[i] = g.transposed_a ? left_operand_transposed(left, warp_row, 16 * i) : left_operand(left, warp_row, 16 * i);
    if (g.transposed_b)
      add_product<true>(sums, rows, right);
    else
      add_product<false>(sums, rows, right);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      put_sum(g, p, at.row + warp_row + l / 4 + e / 2 * 8, at.col + 8 * i + l % 4 * 2 + e % 2, sums.part[i][e]);
}

// Whether tiles can be copied eight elements at a time. Where the rows of one operand run along k, its last eight may
// extend beyond k, since the other operand has zeros there. Where the rows of both do, k must be divisible by 8.
bool fits_tiles(const Matmul<bf16>& g) {
  if (!aligned16(g.a, g.b)) return false;
  for (Size i = 0; i < g.count; ++i) {
    const Product& p = g.products[i];
    if (p.a % 8 != 0 || p.b % 8 != 0 || p.a_stride % 8 != 0 || p.b_stride % 8 != 0) return false;
    if (!g.transposed_a && g.transposed_b && p.k % 8 != 0) return false;
  }
  return true;
}

template <class T>
void launch(const Group<T>& group, dim3 grid, [[maybe_unused]] bool tiles) {
  if constexpr (std::is_same_v<T, bf16>)
    if (tiles) return launch_dependent("matmul", multiply_group_tiles, grid, 128, group);
  launch_dependent("matmul", multiply_group<T>, grid, kThreads, group);
}

template <class T>
void matmul(const Matmul<T>& g) {
  if (g.count == 0) return;
  Size m = 0, n = 0, work = 0;
  for (Size i = 0; i < g.count; ++i) {
    const Product& p = g.products[i];
    m = std::max(m, p.m), n = std::max(n, p.n), work += p.m * p.n * p.k;
  }
  if (m == 0 || n == 0) return;
  constexpr Size kWorthTheLibrary = Size{1} << 22;
  if (g.count == 1 && work >= kWorthTheLibrary) {
    const Product& p = g.products[0];
    return multiply_matrices<T, T>({.m = p.m,
                                    .n = p.n,
                                    .k = p.k,
                                    .transposed_a = g.transposed_a,
                                    .transposed_b = g.transposed_b,
                                    .accumulate = g.accumulate,
                                    .alpha = g.alpha,
                                    .a_stride = p.a_stride,
                                    .b_stride = p.b_stride,
                                    .c_stride = p.c_stride},
                                   g.a + p.a, g.b + p.b, g.c + p.c);
  }
  bool tiles = false;
  if constexpr (std::is_same_v<T, bf16>) tiles = fits_tiles(g);
  constexpr Size kMostAtOnce = 65535;  // blocks along z
  for (Size first = 0; first < g.count; first += kMostAtOnce) {
    const Size count = std::min(kMostAtOnce, g.count - first);
    const Group<T> group{.products = g.count > 1 ? to_scratch(Scratch::tables, g.products + first, count) : nullptr,
                         .one = g.products[first],
                         .transposed_a = g.transposed_a,
                         .transposed_b = g.transposed_b,
                         .accumulate = g.accumulate,
                         .alpha = static_cast<float>(g.alpha),
                         .a = g.a,
                         .b = g.b,
                         .c = g.c};
    launch(group, dim3(blocks_for(n, kTile), blocks_for(m, kTile), static_cast<unsigned>(count)), tiles);
    check_launch("matmul");
  }
}

}  // namespace

template <class T>
void fill_matmul(Kernels<T>& kernels) {
  kernels.matmul = matmul<T>;
}

template void fill_matmul(Kernels<float>&);
template void fill_matmul(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
