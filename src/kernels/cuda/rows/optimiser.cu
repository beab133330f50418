#include <cmath>

#include "kernels/cuda/filling.h"
#include "kernels/cuda/runtime/device.cuh"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 256;

// Sums of squares: first vectors of eight numbers, then the remaining numbers.
__global__ void partial_squares(Size count, Size eights, const float* x, double* sums) {
  __shared__ double room[kThreads / kWarp];
  double sum = 0;
  const Size thread = static_cast<Size>(blockIdx.x) * kThreads + threadIdx.x;
  const Size threads = static_cast<Size>(gridDim.x) * kThreads;
  for (Size e = thread; e < eights; e += threads) {
    float value[8];
    load8(x + 8 * e, value);
    for (const double one : value) sum += one * one;
  }
  for (Size e = 8 * eights + thread; e < count; e += threads) sum += static_cast<double>(x[e]) * x[e];
  sum = block_sum(sum, room);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void total(int count, const double* sums, double* result) {
  __shared__ double room[kThreads / kWarp];
  double sum = 0;
  for (int e = static_cast<int>(threadIdx.x); e < count; e += kThreads) sum += sums[e];
  sum = block_sum(sum, room);
  if (threadIdx.x == 0) *result = sum;
}

template <class T>
void sum_squares(const SumSquares<T>& a) {
  const int blocks = 8 * multiprocessors();
  double* sums = scratch<double>(Scratch::partial_sums, blocks);
  partial_squares<<<blocks, kThreads, 0, stream()>>>(a.count, aligned16(a.x) ? a.count / 8 : 0, a.x, sums);
  total<<<1, kThreads, 0, stream()>>>(blocks, sums, a.result);
  check_launch("sum_squares");
}

template <class T>
__device__ double number(T value) {
  if constexpr (std::is_same_v<T, double>)
    return value;
  else
    return to_float(value);
}

template <class T>
__global__ void add_total(AddSum<T> a) {
  __shared__ double room[kThreads / kWarp];
  double sum = 0;
  for (Size e = threadIdx.x; e < a.count; e += kThreads) sum += number(a.x[e]);
  sum = block_sum(sum, room);
  if (threadIdx.x == 0) *a.to += a.scale * sum;
}

template <class T>
void add_sum(const AddSum<T>& a) {
  add_total<<<1, kThreads, 0, stream()>>>(a);
  check_launch("add_sum");
}

// The factor by which clipping scales the gradients.
__device__ inline float clip_scale(const Clipping& clip) {
  if (clip.squares == nullptr || clip.limit == 0) return 1;
  const auto limit = static_cast<float>(clip.limit), norm = sqrtf(static_cast<float>(*clip.squares));
  return norm <= limit ? 1.0f : limit / norm;
}

struct AdamNumbers {
  float beta1, beta2, step_size, root, epsilon, decay, shrink;
};

__device__ void adam_one(const AdamNumbers& n, float scale, float& w, float g, float& first, float& second) {
  g = scale * g + n.decay * w;
  first = n.beta1 * first + (1 - n.beta1) * g;
  second = n.beta2 * second + (1 - n.beta2) * g * g;
  w -= n.shrink * w;
  w -= n.step_size * first / (sqrtf(second) * n.root + n.epsilon);
}

template <bool kWide>
__global__ void adam_all(Adam<float> a, AdamNumbers n) {
  const Size thread = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Size begin = kWide ? 8 * thread : thread;
  const float scale = clip_scale(a.clip);
  if (kWide && begin + 8 <= a.count) {
    float w[8], g[8], first[8], second[8];
    load8(a.weight + begin, w), load8(a.gradient + begin, g);
    load8(a.first + begin, first), load8(a.second + begin, second);
    for (int e = 0; e < 8; ++e) adam_one(n, scale, w[e], g[e], first[e], second[e]);
    store8(a.weight + begin, w), store8(a.first + begin, first), store8(a.second + begin, second);
    if (a.copy != nullptr) store8(a.copy + begin, w);
    return;
  }
  for (Size e = begin; e < a.count && e < begin + (kWide ? 8 : 1); ++e) {
    float w = a.weight[e], first = a.first[e], second = a.second[e];
    adam_one(n, scale, w, a.gradient[e], first, second);
    a.weight[e] = w, a.first[e] = first, a.second[e] = second;
    if (a.copy != nullptr) a.copy[e] = rounded<bf16>(w);
  }
}

void adam(const Adam<float>& a) {
  if (a.count == 0) return;
  const double correction1 = 1 - std::pow(a.beta1, static_cast<double>(a.step));
  const double correction2 = 1 - std::pow(a.beta2, static_cast<double>(a.step));
  const AdamNumbers n{.beta1 = static_cast<float>(a.beta1),
                      .beta2 = static_cast<float>(a.beta2),
                      .step_size = static_cast<float>(a.rate / correction1),
                      .root = static_cast<float>(1 / std::sqrt(correction2)),
                      .epsilon = static_cast<float>(a.epsilon),
                      .decay = a.decoupled ? 0.0f : static_cast<float>(a.weight_decay),
                      .shrink = a.decoupled ? static_cast<float>(a.rate * a.weight_decay) : 0.0f};
  if (aligned16(a.weight, a.gradient, a.first, a.second, a.copy))
    adam_all<true><<<blocks_for(a.count, 8 * kThreads), kThreads, 0, stream()>>>(a, n);
  else
    adam_all<false><<<blocks_for(a.count, kThreads), kThreads, 0, stream()>>>(a, n);
  check_launch("adam");
}

__global__ void sgd_all(Sgd<float> a, float rate, float momentum, float decay) {
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e >= a.count) return;
  float gradient = clip_scale(a.clip) * a.gradient[e] + decay * a.weight[e];
  if (a.velocity != nullptr) gradient = a.velocity[e] = momentum * a.velocity[e] + gradient;
  const float weight = a.weight[e] - rate * gradient;
  a.weight[e] = weight;
  if (a.copy != nullptr) a.copy[e] = rounded<bf16>(weight);
}

void sgd(const Sgd<float>& a) {
  if (a.count == 0) return;
  sgd_all<<<blocks_for(a.count, kThreads), kThreads, 0, stream()>>>(
      a, static_cast<float>(a.rate), static_cast<float>(a.momentum), static_cast<float>(a.weight_decay));
  check_launch("sgd");
}

}  // namespace

// Optimisers always update f32 weights, so only the f32 table has them.
template <class T>
void fill_optimiser(Kernels<T>& kernels) {
  kernels.add_sum = add_sum<T>;
  if constexpr (std::is_same_v<T, float>) {
    kernels.sum_squares = sum_squares<float>;
    kernels.adam = adam;
    kernels.sgd = sgd;
  }
}

template void fill_optimiser(Kernels<float>&);
template void fill_optimiser(Kernels<bf16>&);
template void fill_optimiser(Kernels<double>&);

}  // namespace dragoman::kernels::cuda
