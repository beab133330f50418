#include "kernels/cuda/attention/project_length.cuh"

#include "kernels/cuda/filling.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 128, kWarps = kThreads / kWarp, kMixtures = 8;

// A thread computes eight mixtures of a column, so that each number of x is read once for all eight. Blocks along z
// cover projections, then mixtures.
template <class T>
__global__ void project(ProjectLength<T> a) {
  const Size sentence = blockIdx.x, col = static_cast<Size>(blockIdx.y) * kThreads + threadIdx.x;
  const Size part = blockIdx.z % a.parts(), mixture = blockIdx.z / a.parts() * kMixtures;
  if (col >= a.size) return;
  const SentenceRows rows(a, sentence);
  const T* projection = one_of(a.projections, part) + mixture * a.length;
  const Size count = min(Size{kMixtures}, a.mixtures - mixture);
  float sums[kMixtures] = {};
  for (Size j = 0; j < rows.rows; ++j) {
    const float x = to_float(a.x[(rows.first + j) * a.x_stride + col]);
#pragma unroll
    for (int i = 0; i < kMixtures; ++i)
      if (i < count) sums[i] += x * to_float(projection[i * a.length + j]);
  }
  T* y = one_of(a.y, part) + (sentence * a.mixtures + mixture) * a.size + col;
#pragma unroll
  for (int i = 0; i < kMixtures; ++i)
    if (i < count) y[i * a.size] = rounded<T>(sums[i]);
}

// One block per row of a sentence.
template <class T>
__global__ void project_back(ProjectLengthBackward<T> b) {
  const ProjectLength<T>& a = b.forward;
  const Size sentence = blockIdx.x, j = blockIdx.y;
  const SentenceRows rows(a, sentence);
  if (j >= rows.rows) return;
  for (Size col = threadIdx.x; col < a.size; col += kThreads) {
    float sum = 0;
    for (Size part = 0; part < a.parts(); ++part) {
      const T* projection = one_of(a.projections, part) + j;
      const T* dy = one_of(b.dy, part);
      if (dy == nullptr) continue;
      dy += sentence * a.mixtures * a.size + col;
      for (Size i = 0; i < a.mixtures; ++i) sum += to_float(projection[i * a.length]) * to_float(dy[i * a.size]);
    }
    put(b.dx[(rows.first + j) * b.dx_stride + col], sum, b.accumulate_dx);
  }
}

// One warp per element of a projection's gradient.
template <class T>
__global__ void projection_gradients(ProjectLength<T> a, const T* dy, float* gradient) {
  const Size j = blockIdx.x, i = static_cast<Size>(blockIdx.y) * kWarps + threadIdx.x / kWarp;
  if (i >= a.mixtures) return;
  float sum = 0;
  for (Size s = 0; s < a.sentences; ++s) {
    const SentenceRows rows(a, s);
    if (j >= rows.rows) continue;
    const T* mine = dy + (s * a.mixtures + i) * a.size;
    const T* x = a.x + (rows.first + j) * a.x_stride;
    for (Size c = threadIdx.x % kWarp; c < a.size; c += kWarp) sum += to_float(mine[c]) * to_float(x[c]);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % kWarp == 0) gradient[i * a.length + j] += sum;
}

template <class T>
void project_length(const ProjectLength<T>& a) {
  if (a.sentences == 0 || a.mixtures == 0 || a.size == 0) return;
  if constexpr (std::is_same_v<T, bf16>)
    if (choose_project_length(a) == ProjectLengthKernel::tiles) return project_tiles(a);
  const dim3 grid(static_cast<unsigned>(a.sentences), blocks_for(a.size, kThreads),
                  static_cast<unsigned>(a.parts()) * blocks_for(a.mixtures, kMixtures));
  project<<<grid, kThreads, 0, stream()>>>(a);
  check_launch("project_length");
}

template <class T>
void project_length_backward(const ProjectLengthBackward<T>& b) {
  const ProjectLength<T>& a = b.forward;
  if (a.longest == 0 || a.mixtures == 0 || a.size == 0) return;
  if constexpr (std::is_same_v<T, bf16>)
    if (choose_project_length(b) == ProjectLengthKernel::tiles) return project_tiles(b);
  const auto longest = static_cast<unsigned>(a.longest);
  if (b.dx != nullptr) project_back<<<dim3(static_cast<unsigned>(a.sentences), longest), kThreads, 0, stream()>>>(b);
  for (Size part = 0; part < a.parts(); ++part)
    if (b.dy[part] != nullptr && b.dprojections[part] != nullptr)
      projection_gradients<<<dim3(longest, blocks_for(a.mixtures, kWarps)), kThreads, 0, stream()>>>(
          a, b.dy[part], b.dprojections[part]);
  check_launch("project_length_backward");
}

}  // namespace

template <class T>
void fill_project_length(Kernels<T>& kernels) {
  kernels.project_length = project_length<T>;
  kernels.project_length_backward = project_length_backward<T>;
}

template void fill_project_length(Kernels<float>&);
template void fill_project_length(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
