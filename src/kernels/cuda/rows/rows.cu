#include <algorithm>

#include "kernels/cuda/filling.h"
#include "kernels/cuda/rows/columns.h"
#include "kernels/cuda/runtime/dependent_launch.cuh"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 256;

template <class T>
__global__ void gather_wide(GatherRows<T> a, float scale) {
  wait_for_previous_kernel();
  const Size eights = a.cols / 8;
  const Size thread = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Size row = thread / eights, col = thread % eights * 8;
  if (row >= a.rows) return;
  float value[8];
  load8(a.table + a.index[row] * a.cols + col, value);
  for (float& v : value) v *= scale;
  if (a.positions != nullptr) {
    float more[8];
    load8(a.positions + a.position[row] * a.cols + col, more);
    for (int e = 0; e < 8; ++e) value[e] += more[e];
  }
  store8(a.y + row * a.cols + col, value);
}

template <class T>
__global__ void gather(GatherRows<T> a, float scale) {
  wait_for_previous_kernel();
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e >= a.rows * a.cols) return;
  const Size row = e / a.cols, col = e % a.cols;
  float value = scale * to_float(a.table[a.index[row] * a.cols + col]);
  if (a.positions != nullptr) value += to_float(a.positions[a.position[row] * a.cols + col]);
  a.y[e] = rounded<T>(value);
}

template <class T>
void gather_rows(const GatherRows<T>& a) {
  const Size count = a.rows * a.cols;
  if (count == 0) return;
  const auto scale = static_cast<float>(a.scale);
  if (a.cols % 8 == 0 && aligned16(a.table, a.positions, a.y))
    launch_dependent("gather_rows", gather_wide<T>, blocks_for(count / 8, kThreads), kThreads, a, scale);
  else
    launch_dependent("gather_rows", gather<T>, blocks_for(count, kThreads), kThreads, a, scale);
}

// Sorts `count` rows by (index, row) by counting: the rank of a row is the number of rows that come before it. Each
// block compares its rows with one range of all rows.
__global__ void count_before(int count, const std::int32_t* index, int* ranks) {
  wait_for_previous_kernel();
  __shared__ __align__(16) std::int32_t tile[kThreads];
  const int row = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const std::int32_t mine = row < count ? index[row] : 0;
  const int tiles = (count + kThreads - 1) / kThreads, each = (tiles + gridDim.y - 1) / gridDim.y;
  const int begin = blockIdx.y * each * kThreads, end = min(count, begin + each * kThreads);
  int rank = 0;
  for (int first = begin; first < end; first += kThreads) {
    const int other = first + static_cast<int>(threadIdx.x);
    __syncthreads();
    // Padding beyond the last row sorts last.
    tile[threadIdx.x] = other < count ? index[other] : 0x7FFFFFFF;
    __syncthreads();
    // With equal indices, rows of earlier tiles come before this row and those of later tiles after it.
    if (first + kThreads <= row || first > row) {
      const std::int32_t limit = first > row ? mine : mine + 1;
      const auto* fours = reinterpret_cast<const int4*>(tile);
#pragma unroll 8
      for (int i = 0; i < kThreads / 4; ++i) {
        const int4 four = fours[i];
        rank += (four.x < limit) + (four.y < limit) + (four.z < limit) + (four.w < limit);
      }
    } else {
      for (int i = 0; i < kThreads; ++i) rank += tile[i] < mine || (tile[i] == mine && first + i < row) ? 1 : 0;
    }
  }
  if (row < count && rank > 0) atomicAdd(ranks + row, rank);
}

__global__ void put_in_order(int count, const std::int32_t* index, const int* ranks, std::int32_t* order,
                             std::int32_t* sorted) {
  wait_for_previous_kernel();
  const int row = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  if (row >= count) return;
  order[ranks[row]] = row;
  sorted[ranks[row]] = index[row];
}

constexpr int kRunThreads = 128;

// Adds up the rows of a run, eight columns per thread. With more threads than that, several threads share eight columns
// and each takes every n-th row.
template <class T>
__device__ void add_run(const ScatterRows<T>& a, float scale, const std::int32_t* order, Size begin, Size end,
                        float* to) {
  __shared__ __align__(16) float room[8 * kRunThreads];
  const int lanes = min(static_cast<int>(a.cols) / 8, static_cast<int>(blockDim.x));
  const int parts = static_cast<int>(blockDim.x) / lanes, part = static_cast<int>(threadIdx.x) / lanes;
  for (Size col = threadIdx.x % lanes * 8; col < a.cols; col += 8 * lanes) {
    float sum[8] = {}, value[8];
    if (part < parts)
#pragma unroll 4
      for (Size rank = begin + part; rank < end; rank += parts) {
        load8(a.dy + order[rank] * a.cols + col, value);
        for (int e = 0; e < 8; ++e) sum[e] += scale * value[e];
      }
    if (parts > 1 && end - begin > 1) {  // then the loop over columns has a single iteration
      store8(room + 8 * threadIdx.x, sum);
      __syncthreads();
      for (int p = 1; p < parts && part == 0; ++p) {
        load8(room + 8 * (p * lanes + threadIdx.x), value);
        for (int e = 0; e < 8; ++e) sum[e] += value[e];
      }
    }
    if (part > 0) continue;
    load8(to + col, value);
    for (int e = 0; e < 8; ++e) sum[e] += value[e];
    store8(to + col, sum);
  }
}

// One block per position in the sorted list. A block whose position begins a run of equal indices adds the rows of the
// run.
template <class T>
__global__ void add_runs(Size count, ScatterRows<T> a, float scale, bool wide, const std::int32_t* order,
                         const std::int32_t* sorted) {
  wait_for_previous_kernel();
  const Size begin = blockIdx.x;
  const std::int32_t index = sorted[begin];
  if (begin > 0 && sorted[begin - 1] == index) return;
  Size end = begin, beyond = count;  // binary search for the last row of the run; `beyond` is after it
  while (beyond - end > 1) {
    const Size middle = (end + beyond) / 2;
    (sorted[middle] == index ? end : beyond) = middle;
  }
  ++end;
  if (wide) return add_run(a, scale, order, begin, end, a.dtable + index * a.cols);
  for (Size col = threadIdx.x; col < a.cols; col += blockDim.x) {
    float& to = a.dtable[index * a.cols + col];
    float sum = to;
#pragma unroll 8
    for (Size rank = begin; rank < end; ++rank) sum += scale * to_float(a.dy[order[rank] * a.cols + col]);
    to = sum;
  }
}

// Sorting compares all pairs of rows, so long lists are processed in pieces.
template <class T>
void scatter_rows(const ScatterRows<T>& a) {
  constexpr Size kPiece = 16384;
  if (a.cols == 0) return;
  if (a.table_rows == 1 && a.scale == 1) return add_columns(a.rows, a.cols, a.dy, a.dtable);
  for (Size first = 0; first < a.rows; first += kPiece) {
    const Size count = std::min(kPiece, a.rows - first);
    std::int32_t *order = a.workspace, *sorted = a.workspace + count;
    ScatterRows<T> piece = a;
    piece.dy += first * a.cols;
    const bool wide = a.cols % 8 == 0 && aligned16(a.dy, a.dtable);
    const auto number = static_cast<int>(count);
    const unsigned blocks = blocks_for(count, kThreads);
    const unsigned stretches = std::clamp(8 * static_cast<unsigned>(multiprocessors()) / blocks, 1u, blocks);
    int* ranks = scratch<int>(Scratch::partial_sums, count);
    clear(ranks, static_cast<std::size_t>(count) * sizeof(int));
    constexpr const char* name = "scatter_rows";
    launch_dependent(name, count_before, dim3(blocks, stretches), kThreads, number, a.index + first, ranks);
    launch_dependent(name, put_in_order, blocks, kThreads, number, a.index + first, ranks, order, sorted);
    launch_dependent(name, add_runs<T>, static_cast<unsigned>(count), kRunThreads, count, piece,
                     static_cast<float>(a.scale), wide, order, sorted);
  }
}

template <class T>
__global__ void copy_elements(CopyBlock<T> a) {
  wait_for_previous_kernel();
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e >= a.rows * a.cols) return;
  const Size row = e / a.cols, col = e % a.cols;
  put(a.to[row * a.to_stride + col], to_float(a.from[row * a.from_stride + col]), a.accumulate);
}

template <class T>
__global__ void copy_eights(CopyBlock<T> a) {
  wait_for_previous_kernel();
  const Size eights = a.cols / 8;
  const Size thread = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Size row = thread / eights, col = thread % eights * 8;
  if (row >= a.rows) return;
  float x[8], y[8];
  load8(a.from + row * a.from_stride + col, x);
  T* to = a.to + row * a.to_stride + col;
  if (a.accumulate) {
    load8(to, y);
    for (int e = 0; e < 8; ++e) x[e] += y[e];
  }
  store8(to, x);
}

template <class T>
void copy_block(const CopyBlock<T>& a) {
  const Size count = a.rows * a.cols;
  if (count == 0) return;
  const bool wide = a.cols % 8 == 0 && a.from_stride % 8 == 0 && a.to_stride % 8 == 0 && aligned16(a.from, a.to);
  if (wide)
    launch_dependent("copy_block", copy_eights<T>, blocks_for(count / 8, kThreads), kThreads, a);
  else
    launch_dependent("copy_block", copy_elements<T>, blocks_for(count, kThreads), kThreads, a);
}

}  // namespace

template <class T>
void fill_rows(Kernels<T>& kernels) {
  kernels.gather_rows = gather_rows<T>;
  kernels.scatter_rows = scatter_rows<T>;
  kernels.copy_block = copy_block<T>;
}

template void fill_rows(Kernels<float>&);
template void fill_rows(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
