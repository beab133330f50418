#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/cuda/rows/columns.h"
#include "kernels/cuda/runtime/dependent_launch.cuh"

// Column sums in a fixed order, in one launch: each block sums a strip of rows for some columns, and the last block of
// these columns to finish adds up the strips.
namespace dragoman::kernels::cuda {

inline constexpr int kSumThreads = 512;  // per block

// Whether this block is the last of `blocks` to get here. `ticket` counts arrivals; it is zero before and afterwards.
// The last block may read what the others wrote before they got here.
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

// sum += eight numbers that another block may have written.
__device__ inline void add8_from_others(float (&sum)[8], const float* from) {
  const float4 a = __ldcg(reinterpret_cast<const float4*>(from)), b = __ldcg(reinterpret_cast<const float4*>(from) + 1);
  sum[0] += a.x, sum[1] += a.y, sum[2] += a.z, sum[3] += a.w, sum[4] += b.x, sum[5] += b.y, sum[6] += b.z,
      sum[7] += b.w;
}

// Rows defines the values to sum: load() reads kEach numbers from (row, col) on, and use() turns them into values and
// may write to memory; kAcross threads share a row. A few rows are loaded before the first of them is used, so that
// several loads are in flight.
template <class Rows>
__global__ void __launch_bounds__(kSumThreads, 2)
    sum_columns(Size rows, Size cols, Size height, Rows values, float* partial, unsigned* tickets, float* to) {
  constexpr int kAcross = Rows::kAcross, kDown = kSumThreads / kAcross;
  constexpr int kEach = Rows::kEach, kCols = kAcross * kEach, kAtOnce = 4;
  __shared__ float room[kDown][kCols];
  wait_for_previous_kernel();
  const Size begin = static_cast<Size>(blockIdx.x) * kCols, col = begin + threadIdx.x * kEach;
  const Size first = blockIdx.y * height, last = col < cols ? min(rows, first + height) : 0;
  float sum[kEach] = {};
  for (Size row = first + threadIdx.y; row < last; row += kAtOnce * kDown) {
    typename Rows::Loaded loaded[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (row + i * kDown < last) loaded[i] = values.load(row + i * kDown, col);
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (row + i * kDown >= last) continue;
      float value[kEach];
      values.use(loaded[i], row + i * kDown, col, value);
      for (int e = 0; e < kEach; ++e) sum[e] += value[e];
    }
  }
  for (int e = 0; e < kEach; ++e) room[threadIdx.y][threadIdx.x * kEach + e] = sum[e];
  __syncthreads();
  // From here on each thread has one column.
  const int thread = static_cast<int>(threadIdx.y) * kAcross + static_cast<int>(threadIdx.x);
  const auto column_of_room = [&](int c) {
    float all = 0;
    for (int i = 0; i < kDown; ++i) all += room[i][c];
    return all;
  };
  if (thread < kCols && begin + thread < cols) partial[blockIdx.y * cols + begin + thread] = column_of_room(thread);
  if (!is_last_block(tickets + blockIdx.x, gridDim.y)) return;
  constexpr int kParts = kSumThreads / kCols;
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

// The rows of a matrix, read in vectors of eight or one by one.
template <class T, int kThreads>
struct RowsInEights {
  static constexpr int kAcross = kThreads, kEach = 8;
  using Loaded = Eight<T>;
  const T* x;
  Size cols;

  __device__ Loaded load(Size row, Size col) const {
    Loaded eight;
    eight.load(x + row * cols + col);
    return eight;
  }
  __device__ void use(const Loaded& eight, Size, Size, float (&value)[8]) const { eight.unpack(value); }
};
template <class T>
struct RowsInOnes {
  static constexpr int kAcross = 32, kEach = 1;
  using Loaded = T;
  const T* x;
  Size cols;

  __device__ Loaded load(Size row, Size col) const { return x[row * cols + col]; }
  __device__ void use(const Loaded& one, Size, Size, float (&value)[1]) const { value[0] = to_float(one); }
};

// to[c] += the sum of values over all rows.
template <class Rows>
void add_sums(const char* name, Size rows, Size cols, const Rows& values, float* to) {
  if (rows == 0 || cols == 0) return;
  constexpr int kAcross = Rows::kAcross, kDown = kSumThreads / kAcross;
  const unsigned across = blocks_for(cols, kAcross * Rows::kEach);
  // Enough strips to fill the GPU, but not so many that adding them up takes longer than computing them.
  const auto balanced = static_cast<Size>(std::sqrt(static_cast<double>(rows)) / 2);
  const Size wanted = std::clamp<Size>(balanced, 1, std::max<Size>(1, 2 * multiprocessors() / across));
  const Size height = std::max<Size>(2 * kDown, (rows + wanted - 1) / wanted);
  const Size strips = (rows + height - 1) / height;
  launch_dependent(name, sum_columns<Rows>, dim3(across, static_cast<unsigned>(strips)), dim3(kAcross, kDown), rows,
                   cols, height, values, scratch<float>(Scratch::partial_sums, strips * cols), tickets(across), to);
}

}  // namespace dragoman::kernels::cuda
