#include <algorithm>

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/filling.h"
#include "kernels/cuda/product.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kTile = 64, kDepth = 16, kEach = 4;
constexpr int kAcross = kTile / kEach, kThreads = kAcross * kAcross;

// What all products of a group share.
template <class T>
struct Group {
  const Product* products;  // on the GPU
  Size count, m, n;         // m and n: the largest
  bool transposed_a, transposed_b, accumulate, summed;
  float alpha;
  const T *a, *b;
  T* c;
};

// Element (i, j) of op(x), zero outside; x begins at `x` with rows `stride` apart.
template <class T>
__device__ float element(const T* x, Size stride, bool transposed, Size i, Size j, Size rows, Size cols) {
  if (i >= rows || j >= cols) return 0;
  return to_float(transposed ? x[j * stride + i] : x[i * stride + j]);
}

// Adds the tile at (row, col) of one product to the thread's sixteen sums.
template <class T>
__device__ void add_tile(const Group<T>& g, const Product& p, Size row, Size col, float (&left)[kDepth][kTile + 1],
                         float (&right)[kDepth][kTile + 1], float (&sums)[kEach][kEach]) {
  const int ty = threadIdx.x / kAcross, tx = threadIdx.x % kAcross;
  for (Size depth = 0; depth < p.k; depth += kDepth) {
    __syncthreads();
    for (int e = threadIdx.x; e < kTile * kDepth; e += kThreads) {
      // Neighbouring threads read what lies side by side.
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

// A block for each tile of each product; of a summed group, for each tile of the sum.
template <class T>
__global__ void multiply_group(Group<T> g) {
  __shared__ float left[kDepth][kTile + 1], right[kDepth][kTile + 1];
  const Size first = g.summed ? 0 : blockIdx.z, last = g.summed ? g.count : first + 1;
  const Product p = g.products[first];
  const Size m = g.summed ? g.m : p.m, n = g.summed ? g.n : p.n;
  const Size row = static_cast<Size>(blockIdx.y) * kTile, col = static_cast<Size>(blockIdx.x) * kTile;
  if (row >= m || col >= n) return;
  float sums[kEach][kEach] = {};
  for (Size i = first; i < last; ++i) {
    const Product one = g.products[i];
    if (row < one.m && col < one.n) add_tile(g, one, row, col, left, right, sums);
  }
  const int ty = threadIdx.x / kAcross, tx = threadIdx.x % kAcross;
  for (int i = 0; i < kEach; ++i)
    for (int j = 0; j < kEach; ++j) {
      const Size r = row + ty + i * kAcross, c = col + tx + j * kAcross;
      if (r < m && c < n) put(g.c[p.c + r * p.c_stride + c], g.alpha * sums[i][j], g.accumulate);
    }
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
  constexpr Size kMostAtOnce = 65535;  // blocks along z
  for (Size first = 0; first < (g.summed ? 1 : g.count); first += kMostAtOnce) {
    const Size count = g.summed ? g.count : std::min(kMostAtOnce, g.count - first);
    const Group<T> group{to_scratch(Scratch::tables, g.products + first, count),
                         count,
                         m,
                         n,
                         g.transposed_a,
                         g.transposed_b,
                         g.accumulate,
                         g.summed,
                         static_cast<float>(g.alpha),
                         g.a,
                         g.b,
                         g.c};
    const dim3 grid(blocks_for(n, kTile), blocks_for(m, kTile), g.summed ? 1 : static_cast<unsigned>(count));
    multiply_group<<<grid, kThreads, 0, stream()>>>(group);
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
