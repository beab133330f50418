#pragma once

#include <algorithm>

#include "kernels/cuda/columns.h"
#include "kernels/cuda/device.cuh"

// Sums over rows in a fixed order and one launch: blocks sum strips of rows, and of the blocks of some columns the last
// one to finish adds up the strips.
namespace dragoman::kernels::cuda {

inline constexpr int kAcross = 32, kDown = 16;  // threads of a block that sums columns

// Whether this block is the last of `blocks` that counted on `ticket`, which is zero before and afterwards. Then what
// the others wrote before can be read.
__device__ inline bool is_last_block(unsigned* ticket, unsigned blocks) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    last = atomicAdd(ticket, 1) + 1 == blocks;
    if (last) *ticket = 0;
  }
  __syncthreads();
  if (last) __threadfence();
  return last;
}

// values(row, col, to) gives the kEach numbers from (row, col) on.
template <int kEach, class F>
__global__ void __launch_bounds__(kAcross* kDown)
    sum_columns(Size rows, Size cols, Size height, F values, float* partial, unsigned* tickets, float* to) {
  constexpr int kCols = kAcross * kEach;
  __shared__ float room[kDown][kCols];
  const Size begin = static_cast<Size>(blockIdx.x) * kCols, col = begin + threadIdx.x * kEach;
  const Size first = blockIdx.y * height, last = min(rows, first + height);
  float sum[kEach] = {};
  if (col < cols)
#pragma unroll 4
    for (Size row = first + threadIdx.y; row < last; row += kDown) {
      float value[kEach];
      values(row, col, value);
      for (int e = 0; e < kEach; ++e) sum[e] += value[e];
    }
  for (int e = 0; e < kEach; ++e) room[threadIdx.y][threadIdx.x * kEach + e] = sum[e];
  __syncthreads();
  // Now every thread has one column.
  const int thread = static_cast<int>(threadIdx.y) * kAcross + static_cast<int>(threadIdx.x);
  const auto column_of_room = [&](int c) {
    float all = 0;
    for (int i = 0; i < kDown; ++i) all += room[i][c];
    return all;
  };
  if (thread < kCols && begin + thread < cols) partial[blockIdx.y * cols + begin + thread] = column_of_room(thread);
  if (!is_last_block(tickets + blockIdx.x, gridDim.y)) return;
  constexpr int kParts = kAcross * kDown / kCols;
  static_assert(kParts >= 1 && kParts <= kDown);
  const int mine = thread % kCols, part = thread / kCols;
  float strips = 0;
  if (begin + mine < cols)
#pragma unroll 8
    for (Size strip = part; strip < gridDim.y; strip += kParts) strips += __ldcg(partial + strip * cols + begin + mine);
  room[part][mine] = strips;
  __syncthreads();
  if (part > 0 || begin + mine >= cols) return;
  for (int p = 1; p < kParts; ++p) strips += room[p][mine];
  to[begin + mine] += strips;
}

// to[c] += the sums of values over rows.
template <int kEach, class F>
void add_sums(const char* name, Size rows, Size cols, F values, float* to) {
  if (rows == 0 || cols == 0) return;
  const unsigned across = blocks_for(cols, kAcross * kEach);
  // As many strips as fill the GPU once, high enough to be worth a block.
  const Size wanted = std::max<Size>(1, multiprocessors() / across);
  const Size height = std::max<Size>(2 * kDown, (rows + wanted - 1) / wanted);
  const Size strips = (rows + height - 1) / height;
  sum_columns<kEach><<<dim3(across, static_cast<unsigned>(strips)), dim3(kAcross, kDown), 0, stream()>>>(
      rows, cols, height, values, scratch<float>(Scratch::partial_sums, strips * cols), tickets(across), to);
  check_launch(name);
}

}  // namespace dragoman::kernels::cuda
