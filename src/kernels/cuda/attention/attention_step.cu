#include <cfloat>

#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/runtime/dependent_launch.cuh"

// Attention in a step of search: few queries per sentence, in bf16, heads of 64, with keys in any order of rows in the
// KV cache. A warp computes one query and head, with an online softmax over blocks of sixteen keys. Eight lanes share a
// key, so a warp processes four keys in parallel and a block of keys in four rounds. The warps of a thread block have
// neighbouring queries, which share keys.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kHead = kTileHead, kWarps = 8, kQueries = 4, kHeads = kWarps / kQueries;
constexpr int kLanes = kHead / 8, kKeysAtOnce = kWarp / kLanes, kRounds = 4;

__device__ float product_of(const Eight<bf16>& a, const Eight<bf16>& b) {
  float x[8], y[8], sum = 0;
  a.unpack(x), b.unpack(y);
#pragma unroll
  for (int e = 0; e < 8; ++e) sum += x[e] * y[e];
  return sum;
}

// The sum over the eight lanes of a key.
__device__ float sum_of_key(float x) {
  for (int apart = 1; apart < kLanes; apart *= 2) x += __shfl_xor_sync(kAllLanes, x, apart);
  return x;
}
// Reductions over the keys that a warp processes in parallel.
__device__ float sum_over_keys(float x) {
  for (int apart = kLanes; apart < kWarp; apart *= 2) x += __shfl_xor_sync(kAllLanes, x, apart);
  return x;
}
__device__ float max_over_keys(float x) {
  for (int apart = kLanes; apart < kWarp; apart *= 2) x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, apart));
  return x;
}

// The grid covers sentences, heads, and queries of a sentence. With one query per sentence, a block has several
// sentences.
__global__ void __launch_bounds__(kWarps* kWarp, 4) attend_few(Attention<bf16> a) {
  wait_for_previous_kernel();
  const bool single = a.longest_queries == 1;
  const unsigned index = threadIdx.y % kQueries, head = blockIdx.y * kHeads + threadIdx.y / kQueries;
  const unsigned sentence = single ? blockIdx.x * kQueries + index : blockIdx.x;
  if (head >= a.heads || sentence >= a.sentences) return;
  const int query = a.query_offsets[sentence] + static_cast<int>(single ? 0 : blockIdx.z * kQueries + index);
  if (query >= a.query_offsets[sentence + 1]) return;
  const int first_key = a.key_offsets[sentence], count = a.key_offsets[sentence + 1] - first_key;
  const int lane = static_cast<int>(threadIdx.x), key_slot = lane / kLanes;
  const int start = static_cast<int>(head) * kHead + lane % kLanes * 8;
  Eight<bf16> q;
  q.load(a.q + query * a.q_stride + start);
  float largest = -FLT_MAX, sum = 0, value[8] = {};
  int row = 0;  // of a key in k and v; those of 32 keys are loaded at once, one per lane
  for (int begin = 0; begin < count; begin += kRounds * kKeysAtOnce) {
    const int here = min(kRounds * kKeysAtOnce, count - begin), first = begin % kWarp;
    if (first == 0) {
      row = first_key + min(begin + lane, count - 1);
      if (a.key_rows != nullptr) row = a.key_rows[row];
    }
    Eight<bf16> k[kRounds], v[kRounds];
#pragma unroll
    for (int t = 0; t < kRounds; ++t) {
      const Size from = __shfl_sync(kAllLanes, row, first + kKeysAtOnce * t + key_slot);
      if (kKeysAtOnce * t >= here) continue;
      k[t].load(a.k + from * a.k_stride + start);
      v[t].load(a.v + from * a.v_stride + start);
    }
    float score[kRounds], most = largest;
#pragma unroll
    for (int t = 0; t < kRounds; ++t) {
      score[t] = -INFINITY;
      if (kKeysAtOnce * t >= here) continue;
      const float dot = sum_of_key(product_of(q, k[t]));
      if (kKeysAtOnce * t + key_slot < here) score[t] = static_cast<float>(a.scale) * dot;
      most = fmaxf(most, score[t]);
    }
    most = max_over_keys(most);
    const float shrink = __expf(largest - most);
    largest = most;
    sum *= shrink;
#pragma unroll
    for (float& x : value) x *= shrink;
#pragma unroll
    for (int t = 0; t < kRounds; ++t) {
      if (kKeysAtOnce * t >= here) continue;
      const float weight = __expf(score[t] - most);
      float one[8];
      v[t].unpack(one);
      sum += weight;
#pragma unroll
      for (int e = 0; e < 8; ++e) value[e] += weight * one[e];
    }
  }
  sum = sum_over_keys(sum);
  const float share = count > 0 ? 1 / sum : 0.0f;
#pragma unroll
  for (float& x : value) x = sum_over_keys(x) * share;
  if (key_slot == 0) store8(a.out + Size{query} * a.heads * kHead + start, value);
  if (lane == 0) a.log_sum[Size{query} * a.heads + head] = count > 0 ? largest + logf(sum) : -INFINITY;
}

}  // namespace

void attention_few_queries(const Attention<bf16>& a) {
  const bool single = a.longest_queries == 1;
  const dim3 grid(blocks_for(a.sentences, single ? kQueries : 1), blocks_for(a.heads, kHeads),
                  blocks_for(a.longest_queries, kQueries));
  launch_dependent("attention", attend_few, grid, dim3(kWarp, kWarps), a);
}

}  // namespace dragoman::kernels::cuda
