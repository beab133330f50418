#include <algorithm>
#include <cfloat>

#include "kernels/cuda/filling.h"
#include "kernels/cuda/products/product.h"
#include "kernels/cuda/runtime/dependent_launch.cuh"

// Matrix products for inference. cuBLASLt is equally fast with any layout, so a packed weight is simply [out, in].
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
  wait();  // products prefetch packed weights without waiting for previous kernels
}

template <class T>
__global__ void pick_rows(PickColumns<T> a) {
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e >= a.in * a.count) return;
  static_cast<T*>(a.picked)[e] = static_cast<const T*>(a.packed)[a.columns[e / a.in] * a.in + e % a.in];
}

template <class T>
void pick_columns(const PickColumns<T>& a) {
  if (a.in * a.count == 0) return;
  pick_rows<<<blocks_for(a.in * a.count, 256), 256, 0, stream()>>>(a);
  check_launch("pick_columns");
  wait();  // as in pack_weight
}

// A packed weight is [out, in] here, so that picked columns are rows of plain numbers.
template <class T>
void unpack_columns(const UnpackColumns<T>& a) {
  pick_columns<T>(
      {.in = a.in, .out = a.out, .count = a.count, .packed = a.packed, .columns = a.columns, .picked = a.y});
}

template <class T>
void linear_packed(const LinearPacked<T>& a) {
  multiply_matrices<T, T>({.m = a.rows, .n = a.out, .k = a.in, .transposed_b = true, .independent_b = true}, a.x,
                          static_cast<const T*>(a.packed), a.y, {.bias = a.bias, .activation = a.activation});
}

// A score and its id as one sortable number: the larger score wins, and among equal scores the lower id. 0 stands for
// no candidate.
using Candidate = std::uint64_t;

__device__ Candidate candidate(float score, Size id) {
  if (!(score > -INFINITY)) return 0;
  const auto bits = __float_as_uint(score + 0.0f);  // turns -0 into 0
  const std::uint32_t order = bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
  return Candidate{order} << 32 | (~static_cast<std::uint32_t>(id));
}
__device__ float score_of(Candidate one) {
  const auto order = static_cast<std::uint32_t>(one >> 32);
  return one == 0 ? -INFINITY : __uint_as_float(order >> 31 != 0 ? order & 0x7FFFFFFFu : ~order);
}
__device__ std::int32_t id_of(Candidate one) {
  return one == 0 ? -1 : static_cast<std::int32_t>(~static_cast<std::uint32_t>(one));
}
__device__ Candidate best_of_warp(Candidate mine) {
  const auto high = static_cast<std::uint32_t>(mine >> 32);
  const std::uint32_t most = __reduce_max_sync(kAllLanes, high);
  return Candidate{most} << 32 | __reduce_max_sync(kAllLanes, high == most ? static_cast<std::uint32_t>(mine) : 0u);
}

constexpr int kThreads = 256, kWarps = kThreads / kWarp;

// One row of logits. A thread owns every kThreads-th group of kGroup columns; kGroup is 4 where rows are aligned for
// vector loads, otherwise 1.
template <class T, int kGroup>
struct Row {
  const T* bias;
  const float* logits;
  Size count;

  // The first column of the g-th group of a thread.
  __device__ static Size column(int thread, Size g) { return (g * kThreads + thread) * kGroup; }
  __device__ float biased(float logit, Size c) const { return bias != nullptr ? logit + to_float(bias[c]) : logit; }
  __device__ void load(Size first, float (&x)[kGroup]) const {
    if (first >= count) {
#pragma unroll
      for (float& value : x) value = -INFINITY;
    } else if constexpr (kGroup == 4) {
      const float4 four = __ldcg(reinterpret_cast<const float4*>(logits + first));
      x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
    } else {
      x[0] = logits[first];
    }
    if (bias != nullptr && first < count)
#pragma unroll
      for (int e = 0; e < kGroup; ++e) x[e] += to_float(bias[first + e]);
  }
  // The best candidate below `last` among the columns of one thread; all lanes of its warp search together.
  __device__ Candidate next(int thread, Candidate last) const {
    Candidate best = 0;
    for (Size g = threadIdx.x % kWarp / kGroup;; g += kWarp / kGroup) {
      const Size c = column(thread, g) + threadIdx.x % kGroup;
      if (c >= count) break;
      const Candidate one = candidate(biased(logits[c], c), c);
      if (one < last && one > best) best = one;
    }
    return best_of_warp(best);
  }
};

// Statistics of a thread's columns: the two largest logits with their ids, and the sum of exp(x - largest).
struct Own {
  float largest = -INFINITY, second = -INFINITY, sum = 0;
  Size id = -1, second_id = -1;

  // The largest logit so far, made finite so that differences are never NaN.
  __device__ float most() const { return fmaxf(largest, -FLT_MAX); }
  // Called in increasing order of ids, so that among equal logits the lowest id is kept.
  __device__ void offer(float x, Size c) {
    if (x > largest) {
      second = largest, second_id = id;
      largest = x, id = c;
    } else if (x > second) {
      second = x, second_id = c;
    }
  }
};

// One block per row of logits. Each thread keeps the best two candidates of its columns; once both are used up, its
// warp searches these columns for the next.
template <class T, int kGroup>
__global__ void __launch_bounds__(kThreads, 4) choose(TopScores<T> a, const float* logits) {
  __shared__ float room[kWarps];
  __shared__ Candidate rivals[2][kWarps];
  wait_for_previous_kernel();
  const auto thread = static_cast<int>(threadIdx.x), lane = thread % kWarp, warp = thread / kWarp;
  const Size number = blockIdx.x;
  const Row<T, kGroup> row{a.bias, logits + number * a.out, a.out};
  constexpr int kAhead = 16 / kGroup;
  Own own;
  for (Size g = 0; row.column(thread, g) < a.out; g += kAhead) {
    float x[kAhead][kGroup];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) row.load(row.column(thread, g + i), x[i]);
    const float before = own.most();
#pragma unroll
    for (int i = 0; i < kAhead; ++i)
#pragma unroll
      for (int e = 0; e < kGroup; ++e) own.offer(x[i][e], row.column(thread, g + i) + e);
    own.sum *= __expf(before - own.most());
#pragma unroll
    for (int i = 0; i < kAhead; ++i)
#pragma unroll
      for (int e = 0; e < kGroup; ++e) own.sum += __expf(x[i][e] - own.most());
  }
  const float most = block_max(own.most(), room);
  const float sum = block_sum(own.sum * __expf(own.most() - most), room);
  if (thread == 0) a.log_sum[number] = sum > 0 ? most + logf(sum) : -INFINITY;
  Candidate mine = candidate(own.largest, own.id), after = candidate(own.second, own.second_id);
  Candidate best_here = best_of_warp(mine);
  for (Size i = 0; i < a.best; ++i) {
    if (lane == 0) rivals[i % 2][warp] = best_here;
    __syncthreads();
    const Candidate best = best_of_warp(lane < kWarps ? rivals[i % 2][lane] : 0);
    if (thread == 0) {
      a.scores[number * a.best + i] = score_of(best);
      a.ids[number * a.best + i] = id_of(best);
    }
    if (best == 0 || best != best_here) continue;
    const int owner = __ffs(static_cast<int>(__ballot_sync(kAllLanes, mine == best))) - 1;
    Candidate next = __shfl_sync(kAllLanes, after, owner);
    if (next == 0) next = row.next(warp * kWarp + owner, best);
    if (lane == owner) mine = next, after = 0;
    best_here = best_of_warp(mine);
  }
}

template <class T>
void top_scores(const TopScores<T>& a) {
  if (a.rows == 0) return;
  // Rows are processed in parts to bound the memory for logits.
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
    const auto blocks = static_cast<unsigned>(part.rows);
    if (a.out % 4 == 0)
      launch_dependent("top_scores", choose<T, 4>, blocks, kThreads, part, logits);
    else
      launch_dependent("top_scores", choose<T, 1>, blocks, kThreads, part, logits);
  }
}

}  // namespace

template <class T>
void fill_packed(Kernels<T>& kernels) {
  kernels.pack_weight = pack_weight<T>;
  kernels.pick_columns = pick_columns<T>;
  kernels.unpack_columns = unpack_columns<T>;
  kernels.linear_packed = linear_packed<T>;
  kernels.top_scores = top_scores<T>;
}

template void fill_packed(Kernels<float>&);
template void fill_packed(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
