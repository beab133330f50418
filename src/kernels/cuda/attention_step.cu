#include <cfloat>

#include "kernels/cuda/attention.cuh"

// Attention of a step of search: one query a sentence, in bf16, heads of 64, keys that lie anywhere. A warp for each
// query and head; 32 keys at a time have a lane each, then 64 values have half a lane each.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kHead = 64, kMostWarps = 8;

// The dot product of one head's query and key, read in eights.
__device__ float dot(const uint4 (&q)[kHead / 8], const bf16* key) {
  uint4 k[kHead / 8];
#pragma unroll
  for (int i = 0; i < kHead / 8; ++i) k[i] = reinterpret_cast<const uint4*>(key)[i];
  float even = 0, odd = 0;
  const auto add = [&](std::uint32_t x, std::uint32_t y) {
    even += low_bf16(x) * low_bf16(y);
    odd += high_bf16(x) * high_bf16(y);
  };
#pragma unroll
  for (int i = 0; i < kHead / 8; ++i)
    add(q[i].x, k[i].x), add(q[i].y, k[i].y), add(q[i].z, k[i].z), add(q[i].w, k[i].w);
  return even + odd;
}

__global__ void attend_once(Attention<bf16> a) {
  const Size query = blockIdx.x, head = static_cast<Size>(blockIdx.y) * blockDim.y + threadIdx.y;
  if (head >= a.heads) return;
  const int lane = static_cast<int>(threadIdx.x);
  const Size first = a.key_offsets[query];
  const int count = static_cast<int>(a.key_offsets[query + 1] - first);
  uint4 q[kHead / 8];
#pragma unroll
  for (int i = 0; i < kHead / 8; ++i) q[i] = reinterpret_cast<const uint4*>(a.q + query * a.q_stride + head * kHead)[i];
  const bf16* k = a.k + head * kHead;
  const bf16* v = a.v + head * kHead + 2 * lane;
  float largest = -FLT_MAX, sum = 0, low = 0, high = 0;
  for (int begin = 0; begin < count; begin += kWarp) {
    const int here = min(kWarp, count - begin);
    int row = 0;
    float score = -FLT_MAX;
    if (lane < here) {
      row = static_cast<int>(a.key_rows != nullptr ? a.key_rows[first + begin + lane] : first + begin + lane);
      score = static_cast<float>(a.scale) * dot(q, k + row * a.k_stride);
    }
    const float most = fmaxf(largest, warp_max(score)), shrink = expf(largest - most);
    const float weight = lane < here ? expf(score - most) : 0.0f;
    sum = sum * shrink + warp_sum(weight);
    low *= shrink, high *= shrink;
    largest = most;
#pragma unroll 8
    for (int j = 0; j < here; ++j) {
      const float w = __shfl_sync(kAllLanes, weight, j);
      const Size from = __shfl_sync(kAllLanes, row, j);
      const std::uint32_t pair = *reinterpret_cast<const std::uint32_t*>(v + from * a.v_stride);
      low += w * low_bf16(pair);
      high += w * high_bf16(pair);
    }
  }
  const float share = count > 0 ? 1 / sum : 0.0f;
  const Size at = query * a.heads + head;
  reinterpret_cast<std::uint32_t*>(a.out + at * kHead)[lane] = pack_bf16(low * share, high * share);
  if (lane == 0) a.log_sum[at] = count > 0 ? largest + logf(sum) : -INFINITY;
}

}  // namespace

bool attention_of_single_queries(const Attention<bf16>& a) {
  const auto eights = [](Size stride) { return stride % 8 == 0; };
  if (a.queries != a.sentences || a.longest_queries != 1 || a.key_size != kHead || a.value_size != kHead ||
      a.weights != nullptr || a.dropout.rate > 0)
    return false;
  if (!eights(a.q_stride) || !eights(a.k_stride) || !eights(a.v_stride) || !aligned16(a.q, a.k, a.v, a.out))
    return false;
  const auto warps = static_cast<unsigned>(a.heads < kMostWarps ? a.heads : kMostWarps);
  const dim3 grid(static_cast<unsigned>(a.queries), blocks_for(a.heads, warps)), block(kWarp, warps);
  attend_once<<<grid, block, 0, stream()>>>(a);
  check_launch("attention");
  return true;
}

}  // namespace dragoman::kernels::cuda
