#include <algorithm>

#include "kernels/cuda/filling.h"
#include "kernels/cuda/runtime/dependent_launch.cuh"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 4, kThreads = kWarps * kWarp;
constexpr int kStripWarps = 8, kStripThreads = kStripWarps * kWarp;  // of a block that processes a strip of rows
constexpr int kWide = 8 * kWarp;  // columns that a warp processes at once, eight per lane

// For rows that are unaligned, too long for registers, or whose length is not a multiple of eight.
template <class T>
__global__ void norm_any(Norm<T> a, Drop drop) {
  const Size row = static_cast<Size>(blockIdx.x) * kWarps + threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (row >= a.rows) return;
  const T* source = a.x + row * a.cols;
  if (a.branch != nullptr) {
    const Size stride = Dropout::stride(a.cols);
    for (Size c = lane; c < a.cols; c += kWarp)
      a.sum[row * a.cols + c] =
          rounded<T>(to_float(source[c]) + drop.factor(row * stride + c) * to_float(a.branch[row * a.cols + c]));
    source = a.sum + row * a.cols;
  }
  float mean = 0, variance = 0;
  for (Size c = lane; c < a.cols; c += kWarp) mean += to_float(source[c]);
  mean = warp_sum(mean) / static_cast<float>(a.cols);
  for (Size c = lane; c < a.cols; c += kWarp) {
    const float apart = to_float(source[c]) - mean;
    variance += apart * apart;
  }
  variance = warp_sum(variance) / static_cast<float>(a.cols);
  const float rstd = 1 / sqrtf(variance + static_cast<float>(a.epsilon));
  for (Size c = lane; c < a.cols; c += kWarp)
    a.y[row * a.cols + c] = rounded<T>((to_float(source[c]) - mean) * rstd * to_float(a.gain[c]) + to_float(a.bias[c]));
  if (lane == 0) a.mean[row] = mean, a.rstd[row] = rstd;
}

// A warp holds its row in registers: kChunks times eight values per lane.
template <class T, int kChunks>
__global__ void norm_wide(Norm<T> a, Drop drop) {
  const Size row = static_cast<Size>(blockIdx.x) * kWarps + threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  wait_for_previous_kernel();
  if (row >= a.rows) return;
  const Size start = row * a.cols;
  float s[kChunks][8];
  Eight<T> gains[kChunks], biases[kChunks];
  float mean = 0, variance = 0;
#pragma unroll
  for (int i = 0; i < kChunks; ++i) {
    const Size c = i * kWide + lane * 8;
    if (c < a.cols) gains[i].load(a.gain + c), biases[i].load(a.bias + c);
  }
#pragma unroll
  for (int i = 0; i < kChunks; ++i) {
    const Size c = i * kWide + lane * 8;
    const bool inside = c < a.cols;
    if (inside) load8(a.x + start + c, s[i]);
    if (a.branch != nullptr) {
      const unsigned kept = drop.drops ? drop.keeps8(row * Dropout::stride(a.cols) + c) : 0xFFu;
      float branch[8];
      if (inside) {
        load8(a.branch + start + c, branch);
        // The norm uses the rounded sum, as backward does.
        for (int e = 0; e < 8; ++e)
          s[i][e] = to_float(rounded<T>(s[i][e] + (kept >> e & 1 ? drop.scale * branch[e] : 0.0f)));
        store8(a.sum + start + c, s[i]);
      }
    }
    if (inside)
      for (int e = 0; e < 8; ++e) mean += s[i][e];
  }
  mean = warp_sum(mean) / static_cast<float>(a.cols);
#pragma unroll
  for (int i = 0; i < kChunks; ++i)
    if (i * kWide + lane * 8 < a.cols)
      for (int e = 0; e < 8; ++e) variance += (s[i][e] - mean) * (s[i][e] - mean);
  variance = warp_sum(variance) / static_cast<float>(a.cols);
  const float rstd = 1 / sqrtf(variance + static_cast<float>(a.epsilon));
#pragma unroll
  for (int i = 0; i < kChunks; ++i) {
    const Size c = i * kWide + lane * 8;
    if (c >= a.cols) continue;
    float gain[8], bias[8];
    gains[i].unpack(gain), biases[i].unpack(bias);
    for (int e = 0; e < 8; ++e) s[i][e] = (s[i][e] - mean) * rstd * gain[e] + bias[e];
    store8(a.y + start + c, s[i]);
  }
  if (lane == 0) a.mean[row] = mean, a.rstd[row] = rstd;
}

template <class T>
void norm(const Norm<T>& a) {
  if (a.rows == 0) return;
  const Drop drop(a.dropout);
  const unsigned blocks = blocks_for(a.rows, kWarps);
  const bool wide = a.cols % 8 == 0 && a.cols <= 4 * kWide && aligned16(a.x, a.branch, a.sum, a.y, a.gain, a.bias);
  if (!wide)
    norm_any<<<blocks, kThreads, 0, stream()>>>(a, drop);
  else if (a.cols <= kWide)
    launch_dependent("norm", norm_wide<T, 1>, blocks, kThreads, a, drop);
  else if (a.cols <= 2 * kWide)
    launch_dependent("norm", norm_wide<T, 2>, blocks, kThreads, a, drop);
  else
    launch_dependent("norm", norm_wide<T, 4>, blocks, kThreads, a, drop);
  check_launch("norm");
}

// ds = rstd (g - mean(g) - n mean(g n)) + dsum with n = (s - mean) rstd, g = dy gain; see the reference.
template <class T>
__global__ void norm_backward_any(NormBackward<T> a, Drop drop) {
  const Size row = static_cast<Size>(blockIdx.x) * kWarps + threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (row >= a.rows) return;
  const T* sum = a.sum + row * a.cols;
  const T* dy = a.dy + row * a.cols;
  const float mean = a.mean[row], rstd = a.rstd[row];
  float mean_g = 0, mean_gn = 0;
  for (Size c = lane; c < a.cols; c += kWarp) {
    const float g = to_float(dy[c]) * to_float(a.gain[c]);
    mean_g += g;
    mean_gn += g * (to_float(sum[c]) - mean) * rstd;
  }
  mean_g = warp_sum(mean_g) / static_cast<float>(a.cols);
  mean_gn = warp_sum(mean_gn) / static_cast<float>(a.cols);
  for (Size c = lane; c < a.cols; c += kWarp) {
    const Size e = row * a.cols + c;
    const float n = (to_float(sum[c]) - mean) * rstd;
    float ds = rstd * (to_float(dy[c]) * to_float(a.gain[c]) - mean_g - n * mean_gn);
    if (a.dsum != nullptr) ds += to_float(a.dsum[e]);
    if (a.dx != nullptr) put(a.dx[e], ds, a.accumulate_dx);
    if (a.dbranch != nullptr)
      put(a.dbranch[e], drop.factor(row * Dropout::stride(a.cols) + c) * ds, a.accumulate_dbranch);
  }
}

// The gradients of gain and bias over a strip of rows; partial[strip] holds those of the gain, then those of the bias.
template <class T>
__global__ void gain_strips(NormBackward<T> a, Size height, float* partial) {
  const Size col = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (col >= a.cols) return;
  float dgain = 0, dbias = 0;
  const Size first = blockIdx.y * height, last = min(a.rows, first + height);
  for (Size row = first; row < last; ++row) {
    const float dy = to_float(a.dy[row * a.cols + col]);
    dgain += dy * (to_float(a.sum[row * a.cols + col]) - a.mean[row]) * a.rstd[row];
    dbias += dy;
  }
  partial[blockIdx.y * 2 * a.cols + col] = dgain;
  partial[blockIdx.y * 2 * a.cols + a.cols + col] = dbias;
}

// The rows of a strip are distributed over the warps of a block. Each lane sums the gradients of gain and bias for its
// own columns.
template <class T, int kChunks>
__global__ void __launch_bounds__(kStripThreads, kChunks <= 2 ? 2 : 1)
    norm_backward_wide(NormBackward<T> a, Drop drop, Size height, float* partial) {
  __shared__ float room[kStripWarps][kChunks * kWide];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  float dgain[kChunks][8] = {}, dbias[kChunks][8] = {};
  const Size first = blockIdx.x * height, last = min(a.rows, first + height);
  // The next row is prefetched while this one is processed.
  Eight<T> next_sum[kChunks], next_dy[kChunks];
  float next_mean = 0, next_rstd = 0;
  const auto fetch = [&](Size row) {
    if (row < last) next_mean = a.mean[row], next_rstd = a.rstd[row];
#pragma unroll
    for (int i = 0; i < kChunks; ++i) {
      const Size c = i * kWide + lane * 8;
      if (row >= last || c >= a.cols) continue;
      next_sum[i].load(a.sum + row * a.cols + c);
      next_dy[i].load(a.dy + row * a.cols + c);
    }
  };
  fetch(first + warp);
  for (Size row = first + warp; row < last; row += kStripWarps) {
    const Size start = row * a.cols;
    const float mean = next_mean, rstd = next_rstd;
    float n[kChunks][8], g[kChunks][8], mean_g = 0, mean_gn = 0;
#pragma unroll
    for (int i = 0; i < kChunks; ++i) next_sum[i].unpack(n[i]), next_dy[i].unpack(g[i]);
    fetch(row + kStripWarps);
#pragma unroll
    for (int i = 0; i < kChunks; ++i) {
      const Size c = i * kWide + lane * 8;
      if (c >= a.cols) continue;
      float gain[8];
      load8(a.gain + c, gain);
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        n[i][e] = (n[i][e] - mean) * rstd;
        dgain[i][e] += g[i][e] * n[i][e];
        dbias[i][e] += g[i][e];
        g[i][e] *= gain[e];
        mean_g += g[i][e];
        mean_gn += g[i][e] * n[i][e];
      }
    }
    mean_g = warp_sum(mean_g) / static_cast<float>(a.cols);
    mean_gn = warp_sum(mean_gn) / static_cast<float>(a.cols);
#pragma unroll
    for (int i = 0; i < kChunks; ++i) {
      const Size c = i * kWide + lane * 8;
      const unsigned kept = drop.drops ? drop.keeps8(row * Dropout::stride(a.cols) + c) : 0xFFu;
      if (c >= a.cols) continue;
      float more[8], ds[8];
      if (a.dsum != nullptr) load8(a.dsum + start + c, more);
#pragma unroll
      for (int e = 0; e < 8; ++e)
        ds[e] = rstd * (g[i][e] - mean_g - n[i][e] * mean_gn) + (a.dsum != nullptr ? more[e] : 0.0f);
      if (a.dbranch != nullptr) {
        if (a.accumulate_dbranch) load8(a.dbranch + start + c, more);
#pragma unroll
        for (int e = 0; e < 8; ++e)
          more[e] = (a.accumulate_dbranch ? more[e] : 0.0f) + (kept >> e & 1 ? drop.scale * ds[e] : 0.0f);
        store8(a.dbranch + start + c, more);
      }
      if (a.dx == nullptr) continue;
      if (a.accumulate_dx) {
        load8(a.dx + start + c, more);
        for (int e = 0; e < 8; ++e) ds[e] += more[e];
      }
      store8(a.dx + start + c, ds);
    }
  }
  if (partial == nullptr) return;
#pragma unroll
  for (int which = 0; which < 2; ++which) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kChunks; ++i)
      for (int e = 0; e < 8; ++e) room[warp][i * kWide + lane * 8 + e] = which == 0 ? dgain[i][e] : dbias[i][e];
    __syncthreads();
    for (Size c = threadIdx.x; c < a.cols; c += kStripThreads) {
      float sum = 0;
      for (int w = 0; w < kStripWarps; ++w) sum += room[w][c];
      partial[(blockIdx.x * 2 + which) * a.cols + c] = sum;
    }
  }
}

constexpr int kSumWarps = 32;

// Adds the sums of all strips to the requested gradients.
__global__ void add_gain_strips(Size strips, Size cols, const float* partial, float* dgain, float* dbias) {
  __shared__ float room[kSumWarps][kWarp];
  const Size col = static_cast<Size>(blockIdx.x) * kWarp + threadIdx.x;
  float sum = 0;
  if (col < 2 * cols)
#pragma unroll 4
    for (Size strip = threadIdx.y; strip < strips; strip += kSumWarps) sum += partial[strip * 2 * cols + col];
  room[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0 || col >= 2 * cols) return;
  for (int i = 1; i < kSumWarps; ++i) sum += room[i][threadIdx.x];
  float* to = col < cols ? dgain : dbias;
  if (to != nullptr) to[col % cols] += sum;
}

template <class T>
void norm_backward(const NormBackward<T>& a) {
  if (a.rows == 0 || a.cols == 0) return;
  const Drop drop(a.dropout);
  const bool sums = a.dgain != nullptr || a.dbias != nullptr;
  const bool wide = a.cols % 8 == 0 && a.cols <= 4 * kWide && aligned16(a.sum, a.dy, a.dsum, a.gain, a.dx, a.dbranch);
  const Size wanted = (wide ? 2 : 8) * multiprocessors();
  const Size height = std::max<Size>(wide ? kStripWarps : 64, (a.rows + wanted - 1) / wanted);
  const Size strips = (a.rows + height - 1) / height;
  float* partial = sums ? scratch<float>(Scratch::partial_sums, strips * 2 * a.cols) : nullptr;
  const auto blocks = static_cast<unsigned>(strips);
  if (!wide) {
    norm_backward_any<<<blocks_for(a.rows, kWarps), kThreads, 0, stream()>>>(a, drop);
    if (sums) gain_strips<<<dim3(blocks_for(a.cols, kThreads), blocks), kThreads, 0, stream()>>>(a, height, partial);
  } else if (a.cols <= kWide) {
    norm_backward_wide<T, 1><<<blocks, kStripThreads, 0, stream()>>>(a, drop, height, partial);
  } else if (a.cols <= 2 * kWide) {
    norm_backward_wide<T, 2><<<blocks, kStripThreads, 0, stream()>>>(a, drop, height, partial);
  } else {
    norm_backward_wide<T, 4><<<blocks, kStripThreads, 0, stream()>>>(a, drop, height, partial);
  }
  if (sums)
    add_gain_strips<<<blocks_for(2 * a.cols, kWarp), dim3(kWarp, kSumWarps), 0, stream()>>>(strips, a.cols, partial,
                                                                                            a.dgain, a.dbias);
  check_launch("norm_backward");
}

}  // namespace

template <class T>
void fill_norm(Kernels<T>& kernels) {
  kernels.norm = norm<T>;
  kernels.norm_backward = norm_backward<T>;
}

template void fill_norm(Kernels<float>&);
template void fill_norm(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
