#include "kernels/cuda/columns.h"

#include <algorithm>

#include "kernels/cuda/device.cuh"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kAcross = 32, kDown = 8;  // threads of a block

// Each lane has a column, each warp every kDown-th strip.
__global__ void sum_strips(Size strips, Size count, const float* partial, float* to) {
  __shared__ float room[kDown][kAcross];
  const Size col = static_cast<Size>(blockIdx.x) * kAcross + threadIdx.x;
  float sum = 0;
  if (col < count)
    for (Size strip = threadIdx.y; strip < strips; strip += kDown) sum += partial[strip * count + col];
  room[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0 || col >= count) return;
  for (int i = 1; i < kDown; ++i) sum += room[i][threadIdx.x];
  to[col] += sum;
}

// A block sums `height` rows of 8 columns a thread, or of one.
template <bool kWide, class T>
__global__ void sum_rows(Size rows, Size cols, Size height, const T* x, float* partial) {
  constexpr int kEach = kWide ? 8 : 1;
  __shared__ float room[kDown][kAcross * kEach];
  const Size col = (static_cast<Size>(blockIdx.x) * kAcross + threadIdx.x) * kEach;
  const Size first = blockIdx.y * height, last = min(rows, first + height);
  float sum[kEach] = {};
  if (col < cols)
    for (Size row = first + threadIdx.y; row < last; row += kDown) {
      if constexpr (kWide) {
        float value[8];
        load8(x + row * cols + col, value);
        for (int e = 0; e < 8; ++e) sum[e] += value[e];
      } else {
        sum[0] += to_float(x[row * cols + col]);
      }
    }
  for (int e = 0; e < kEach; ++e) room[threadIdx.y][threadIdx.x * kEach + e] = sum[e];
  __syncthreads();
  if (threadIdx.y > 0 || col >= cols) return;
  for (int e = 0; e < kEach; ++e) {
    float all = 0;
    for (int i = 0; i < kDown; ++i) all += room[i][threadIdx.x * kEach + e];
    partial[blockIdx.y * cols + col + e] = all;
  }
}

template <class T>
__global__ void repeat(Size rows, Size cols, const T* row, bool relu, bool add, T* y) {
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e >= rows * cols) return;
  const float value = (add ? to_float(y[e]) : 0.0f) + (row != nullptr ? to_float(row[e % cols]) : 0.0f);
  y[e] = rounded<T>(relu ? fmaxf(value, 0.0f) : value);
}

}  // namespace

void add_strips(Size strips, Size count, const float* partial, float* to) {
  if (count == 0 || strips == 0) return;
  sum_strips<<<blocks_for(count, kAcross), dim3(kAcross, kDown), 0, stream()>>>(strips, count, partial, to);
  check_launch("sum of columns");
}

template <class T>
void add_columns(Size rows, Size cols, const T* x, float* to) {
  if (rows == 0 || cols == 0) return;
  const bool wide = cols % 8 == 0 && aligned16(x);
  const unsigned across = blocks_for(cols, kAcross * (wide ? 8 : 1));
  // Strips high enough to be worth a block, and as many as keep the GPU busy.
  const Size wanted = std::max<Size>(1, 4 * multiprocessors() / across);
  const Size height = std::max<Size>(4 * kDown, (rows + wanted - 1) / wanted);
  const Size strips = (rows + height - 1) / height;
  float* partial = scratch<float>(Scratch::partial_sums, strips * cols);
  const dim3 grid(across, static_cast<unsigned>(strips)), block(kAcross, kDown);
  if (wide)
    sum_rows<true><<<grid, block, 0, stream()>>>(rows, cols, height, x, partial);
  else
    sum_rows<false><<<grid, block, 0, stream()>>>(rows, cols, height, x, partial);
  check_launch("sum of rows");
  add_strips(strips, cols, partial, to);
}

template <class T>
void repeat_row(Size rows, Size cols, const T* row, bool relu, T* y) {
  repeat<<<blocks_for(rows * cols, 256), 256, 0, stream()>>>(rows, cols, row, relu, false, y);
  check_launch("repeated row");
}

template <class T>
void finish_rows(Size rows, Size cols, const T* row, bool relu, T* y) {
  repeat<<<blocks_for(rows * cols, 256), 256, 0, stream()>>>(rows, cols, row, relu, true, y);
  check_launch("row added");
}

template void finish_rows(Size, Size, const float*, bool, float*);
template void finish_rows(Size, Size, const bf16*, bool, bf16*);

template void repeat_row(Size, Size, const float*, bool, float*);
template void repeat_row(Size, Size, const bf16*, bool, bf16*);
template void add_columns(Size, Size, const float*, float*);
template void add_columns(Size, Size, const bf16*, float*);

}  // namespace dragoman::kernels::cuda
