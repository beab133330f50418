#include <cfloat>
#include <cstdlib>

#include "kernels/cuda/attention.cuh"
#include "kernels/cuda/early.cuh"

// Attention of a step of search: few queries a sentence, in bf16, heads of 64, keys that lie anywhere. A warp for each
// query and head takes 32 keys at a time: eight lanes share a key, four keys are next to each other.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kHead = 64, kMostWarps = 8;
constexpr int kLanes = kHead / 8, kBeside = kWarp / kLanes;

__device__ void unpack(const uint4& raw, float (&to)[8]) {
  to[0] = low_bf16(raw.x), to[1] = high_bf16(raw.x), to[2] = low_bf16(raw.y), to[3] = high_bf16(raw.y);
  to[4] = low_bf16(raw.z), to[5] = high_bf16(raw.z), to[6] = low_bf16(raw.w), to[7] = high_bf16(raw.w);
}

// The sum over the lanes of one key.
__device__ float sum_of_key(float x) {
  for (int apart = 1; apart < kLanes; apart *= 2) x += __shfl_xor_sync(kAllLanes, x, apart);
  return x;
}
// Over the keys next to each other, of what each lane has.
__device__ float sum_beside(float x) {
  for (int apart = kLanes; apart < kWarp; apart *= 2) x += __shfl_xor_sync(kAllLanes, x, apart);
  return x;
}
__device__ float most_beside(float x) {
  for (int apart = kLanes; apart < kWarp; apart *= 2) x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, apart));
  return x;
}

// Blocks: sentences, heads, queries of a sentence.
template <int kTurns>
__global__ void __launch_bounds__(kMostWarps* kWarp, kTurns == 8 ? 2 : 4) attend_few(Attention<bf16> a) {
  wait_for_kernel_before();
  const Size head = static_cast<Size>(blockIdx.y) * blockDim.y + threadIdx.y;
  const Sentence sentence(a, blockIdx.x);
  if (head >= a.heads || blockIdx.z >= sentence.queries) return;
  const int lane = static_cast<int>(threadIdx.x), beside = lane / kLanes;
  const Size query = sentence.first_query + blockIdx.z, start = head * kHead + lane % kLanes * 8;
  const int count = static_cast<int>(sentence.keys);
  float q[8];
  load8(a.q + query * a.q_stride + start, q);
#pragma unroll
  for (float& x : q) x *= static_cast<float>(a.scale);
  float largest = -FLT_MAX, sum = 0, value[8] = {};
  for (int begin = 0; begin < count; begin += kTurns * kBeside) {
    const int here = min(kTurns * kBeside, count - begin);
    const auto row = static_cast<int>(sentence.key_row(a, begin + min(lane, here - 1)));
    uint4 k[kTurns], v[kTurns];
#pragma unroll
    for (int t = 0; t < kTurns; ++t) {
      const Size from = __shfl_sync(kAllLanes, row, kBeside * t + beside);
      if (kBeside * t >= here) continue;
      k[t] = *reinterpret_cast<const uint4*>(a.k + from * a.k_stride + start);
      v[t] = *reinterpret_cast<const uint4*>(a.v + from * a.v_stride + start);
    }
    float score[kTurns], most = largest;
#pragma unroll
    for (int t = 0; t < kTurns; ++t) {
      score[t] = -INFINITY;
      if (kBeside * t >= here) continue;
      float key[8], dot = 0;
      unpack(k[t], key);
#pragma unroll
      for (int e = 0; e < 8; ++e) dot += q[e] * key[e];
      dot = sum_of_key(dot);
      if (kBeside * t + beside < here) score[t] = dot;
      most = fmaxf(most, score[t]);
    }
    most = most_beside(most);
    const float shrink = __expf(largest - most);
    largest = most;
    sum *= shrink;
#pragma unroll
    for (float& x : value) x *= shrink;
#pragma unroll
    for (int t = 0; t < kTurns; ++t) {
      if (kBeside * t >= here) continue;
      const float weight = __expf(score[t] - most);
      float one[8];
      unpack(v[t], one);
      sum += weight;
#pragma unroll
      for (int e = 0; e < 8; ++e) value[e] += weight * one[e];
    }
  }
  sum = sum_beside(sum);
  const float share = count > 0 ? 1 / sum : 0.0f;
#pragma unroll
  for (float& x : value) x = sum_beside(x) * share;
  if (beside == 0) store8(a.out + query * a.heads * kHead + start, value);
  if (lane == 0) a.log_sum[query * a.heads + head] = count > 0 ? largest + logf(sum) : -INFINITY;
}

}  // namespace

bool attention_of_few_queries(const Attention<bf16>& a) {
  static const Size most_queries = getenv("FEW") != nullptr ? atoi(getenv("FEW")) : 8;
  constexpr Size kMostKeys = 128;  // from there on tensor cores are faster for several queries
  const auto eights = [](Size stride) { return stride % 8 == 0; };
  const bool single = a.longest_queries == 1 && a.queries == a.sentences;
  if (!single && (a.causal || a.longest_queries > most_queries || a.longest > kMostKeys)) return false;
  if (a.key_size != kHead || a.value_size != kHead || a.weights != nullptr || a.dropout.rate > 0) return false;
  if (!eights(a.q_stride) || !eights(a.k_stride) || !eights(a.v_stride) || !aligned16(a.q, a.k, a.v, a.out))
    return false;
  const auto warps = static_cast<unsigned>(a.heads < kMostWarps ? a.heads : kMostWarps);
  const dim3 grid(static_cast<unsigned>(a.sentences), blocks_for(a.heads, warps),
                  static_cast<unsigned>(a.longest_queries));
  static const bool eight = getenv("TURNS") != nullptr;
  if (eight)
    launch_early("attention", attend_few<8>, grid, dim3(kWarp, warps), a);
  else
    launch_early("attention", attend_few<4>, grid, dim3(kWarp, warps), a);
  return true;
}

}  // namespace dragoman::kernels::cuda
