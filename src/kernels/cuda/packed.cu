#include <algorithm>
#include <cfloat>
#include <type_traits>

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/filling.h"
#include "kernels/cuda/product.h"

// Inference. The library reads any layout equally well, so a packed weight is just [out, in].
namespace dragoman::kernels::cuda {
namespace {

template <class T>
__global__ void transpose(Size in, Size out, const T* weight, T* packed) {
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e < in * out) packed[e] = weight[e % in * out + e / in];
}

template <class T>
void pack_weight(const PackWeight<T>& a) {
  const Size count = a.in * a.out;
  if (a.bytes != nullptr) *a.bytes = count * static_cast<Size>(sizeof(T));
  if (a.packed == nullptr || count == 0) return;
  T* packed = static_cast<T*>(a.packed);
  if (a.transposed)
    check_status(cudaMemcpyAsync(packed, a.weight, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDefault,
                                 direct_stream()),
                 "pack_weight");
  else
    transpose<<<blocks_for(count, 256), 256, 0, stream()>>>(a.in, a.out, a.weight, packed);
  check_launch("pack_weight");
}

template <class T>
void linear_packed(const LinearPacked<T>& a) {
  multiply_matrices<T, T>({.m = a.rows, .n = a.out, .k = a.in, .transposed_b = true}, a.x,
                          static_cast<const T*>(a.packed), a.y, {.bias = a.bias, .activation = a.activation});
}

// The larger score, of equal ones the lower id; without an id nothing at all.
struct Candidate {
  float score = -INFINITY;
  std::int32_t id = -1;

  __device__ bool before(const Candidate& other) const {
    return id >= 0 && (other.id < 0 || score > other.score || (score == other.score && id < other.id));
  }
  __device__ void take(const Candidate& other) {
    if (other.before(*this)) *this = other;
  }
};

// Over all threads of a block.
__device__ Candidate best_of_block(Candidate best, Candidate* room) {
  for (int apart = kWarp / 2; apart > 0; apart /= 2)
    best.take({__shfl_xor_sync(kAllLanes, best.score, apart), __shfl_xor_sync(kAllLanes, best.id, apart)});
  __syncthreads();
  if (threadIdx.x % kWarp == 0) room[threadIdx.x / kWarp] = best;
  __syncthreads();
  for (unsigned w = 0; w < blockDim.x / kWarp; ++w) best.take(room[w]);
  return best;
}

constexpr int kThreads = 512;

// What one thread knows of its columns of a row of logits.
template <class T>
struct OwnColumns {
  const T* bias;
  const float* logits;
  Size count;
  float largest = -FLT_MAX, sum = 0;  // of all its logits: the largest, and exp(x - largest) added up
  Candidate best, second;             // of those that were not given up

  __device__ float at(Size c) const {
    return c < count ? logits[c] + (bias != nullptr ? to_float(bias[c]) : 0.0f) : -INFINITY;
  }
  __device__ void offer(float score, Size c) {
    const Candidate one{score, score > -INFINITY ? static_cast<std::int32_t>(c) : -1};
    if (one.before(best)) {
      second = best;
      best = one;
    } else {
      second.take(one);
    }
  }
  // One pass over the columns, eight on their way at a time.
  __device__ void read() {
    constexpr int kAhead = 8;
    for (Size first = threadIdx.x; first < count; first += kAhead * kThreads) {
      float x[kAhead], most = largest;
#pragma unroll
      for (int e = 0; e < kAhead; ++e) x[e] = at(first + e * kThreads);
#pragma unroll
      for (int e = 0; e < kAhead; ++e) most = fmaxf(most, x[e]);
      sum *= __expf(largest - most);
      largest = most;
#pragma unroll
      for (int e = 0; e < kAhead; ++e) {
        sum += __expf(x[e] - most);
        offer(x[e], first + e * kThreads);
      }
    }
  }
  // The two best of what comes after `last`.
  __device__ void look_again(const Candidate& last) {
    best = second = {};
    for (Size c = threadIdx.x; c < count; c += kThreads) {
      const float score = at(c);
      if (last.before({score, static_cast<std::int32_t>(c)})) offer(score, c);
    }
  }
  __device__ void give_up_best() {
    const Candidate last = best;
    best = second;
    second = {};
    if (best.id < 0) look_again(last);
  }
};

// A block for each row of logits. Each thread knows the best two of its own columns; the one whose candidate was taken
// offers its next.
template <class T>
__global__ void choose(TopScores<T> a, const float* logits) {
  __shared__ float room[kThreads / kWarp];
  __shared__ Candidate rivals[kThreads / kWarp];
  const Size row = blockIdx.x;
  OwnColumns<T> mine{a.bias, logits + row * a.out, a.out};
  mine.read();
  const float largest = block_max(mine.largest, room);
  const float sum = block_sum(mine.sum * __expf(mine.largest - largest), room);
  if (threadIdx.x == 0) a.log_sum[row] = sum > 0 ? largest + logf(sum) : -INFINITY;
  for (Size i = 0; i < a.best; ++i) {
    const Candidate best = best_of_block(mine.best, rivals);
    if (threadIdx.x == 0) {
      a.scores[row * a.best + i] = best.score;
      a.ids[row * a.best + i] = best.id;
    }
    if (best.id >= 0 && best.id == mine.best.id) mine.give_up_best();
  }
}

template <class T>
void top_scores(const TopScores<T>& a) {
  if (a.rows == 0) return;
  // Rows whose logits are made at once, so that they take a bounded part of memory.
  constexpr Size kLogits = Size{1} << 26;
  const Size most = std::max<Size>(1, kLogits / std::max<Size>(a.out, 1));
  float* logits = scratch<float>(Scratch::logits, std::min(most, a.rows) * a.out);
  for (Size first = 0; first < a.rows; first += most) {
    TopScores<T> part = a;
    part.rows = std::min(most, a.rows - first);
    part.x += first * a.in;
    part.log_sum += first, part.scores += first * a.best, part.ids += first * a.best;
    multiply_matrices<T, float>({.m = part.rows, .n = a.out, .k = a.in, .transposed_b = true}, part.x,
                                static_cast<const T*>(a.packed), logits);
    choose<<<static_cast<unsigned>(part.rows), kThreads, 0, stream()>>>(part, logits);
    check_launch("top_scores");
  }
}

}  // namespace

template <class T>
void fill_packed(Kernels<T>& kernels) {
  kernels.pack_weight = pack_weight<T>;
  kernels.linear_packed = linear_packed<T>;
  kernels.top_scores = top_scores<T>;
}

template void fill_packed(Kernels<float>&);
template void fill_packed(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
