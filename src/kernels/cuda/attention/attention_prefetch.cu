#include <algorithm>

#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/products/tiles.cuh"
#include "kernels/cuda/runtime/dependent_launch.cuh"

// Attention in the steps of a decoder, in bf16: one query per sentence, and keys and values that do not depend on the
// previous kernel. One block per query and head prefetches the keys and values of the sentence to shared memory while
// the previous kernel drains (programmatic dependent launch). After it, only two passes over shared memory remain.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 8, kThreads = kWarps * kWarp, kMost = 2 * kThreads;  // numbers of a head
static_assert(kMost == kMostRow);

// `count` rows of `size` numbers in shared memory.
struct SharedRows {
  bf16* rows;
  int count, size;

  // Starts copying the rows (cp.async); called by all threads. wait_for_tiles() waits for the data.
  __device__ void load(const bf16* from, Size apart) const {
    const int across = size / 8;
    for (int e = static_cast<int>(threadIdx.x); e < count * across; e += kThreads) {
      const int row = e / across, col = e % across * 8;
      const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(rows + row * size + col));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from + row * apart + col)
                   : "memory");
    }
  }
  // sums[j] = row j . vector. Every warp holds the vector and computes every n-th row.
  template <class Vector>
  __device__ void multiply(const Vector& vector, float* sums) const {
    constexpr int kAtOnce = 4;
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    for (int first = warp; first < count; first += kAtOnce * kWarps) {
      float some[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const int j = first + i * kWarps;
        some[i] = j < count ? vector.dot(rows + j * size, size) : 0.0f;
      }
#pragma unroll
      for (int apart = kWarp / 2; apart > 0; apart /= 2)
#pragma unroll
        for (float& one : some) one += __shfl_xor_sync(kAllLanes, one, apart);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i)
        if (lane() == 0 && first + i * kWarps < count) sums[first + i * kWarps] = some[i];
    }
  }
  // The thread's two columns of the sum of factor(row) * row. Each factor is computed once per warp, by one lane.
  template <class Factor>
  __device__ float2 mix(const Factor& factor) const {
    float2 sum{};
    const int col = 2 * static_cast<int>(threadIdx.x);
    for (int first = 0; first < count; first += kWarp) {
      const float mine = first + lane() < count ? factor(first + lane()) : 0.0f;
      const int last = min(kWarp, count - first);
#pragma unroll 8
      for (int i = 0; i < last; ++i) {
        const float by = __shfl_sync(kAllLanes, mine, i);
        const std::uint32_t pair =
            col < size ? *reinterpret_cast<const std::uint32_t*>(rows + (first + i) * size + col) : 0;
        sum.x += by * low_bf16(pair), sum.y += by * high_bf16(pair);
      }
    }
    return sum;
  }
};

// A vector in the registers of a warp: groups of eight numbers, distributed over the lanes.
struct Spread {
  uint4 eights[kMost / (8 * kWarp)] = {};

  __device__ void load(const bf16* from, int size) {
#pragma unroll
    for (int i = 0; i < kMost / (8 * kWarp); ++i) {
      const int d = (lane() + i * kWarp) * 8;
      if (d < size) eights[i] = *reinterpret_cast<const uint4*>(from + d);
    }
  }
  // The lane's part of the dot product with a row.
  __device__ float dot(const bf16* row, int size) const {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kMost / (8 * kWarp); ++i) {
      const int d = (lane() + i * kWarp) * 8;
      if (d >= size) continue;
      Eight<bf16> mine;
      mine.raw[0] = eights[i];
      float x[8], y[8];
      mine.unpack(x);
      load8(row + d, y);
#pragma unroll
      for (int e = 0; e < 8; ++e) sum += x[e] * y[e];
    }
    return sum;
  }
};

// The inputs of a block: its query and head, and the keys and values, which the constructor starts to copy.
struct BlockInputs {
  Size query, head, at;  // at = query * heads + head
  SharedRows k, v;
  float* scores;  // two numbers per key

  __device__ BlockInputs(const Attention<bf16>& a, unsigned char* memory)
      : query(blockIdx.x), head(blockIdx.y), at(query * a.heads + head) {
    const Size first = a.key_offsets[query];
    const int count = static_cast<int>(a.key_offsets[query + 1] - first);
    const int key_size = static_cast<int>(a.key_size), value_size = static_cast<int>(a.value_size);
    k = {reinterpret_cast<bf16*>(memory), count, key_size};
    k.load(a.k + first * a.k_stride + head * key_size, a.k_stride);
    v = {k.rows + (a.values_are_keys ? 0 : count * key_size), count, value_size};
    if (!a.values_are_keys) v.load(a.v + first * a.v_stride + head * value_size, a.v_stride);
    scores = reinterpret_cast<float*>(v.rows + count * value_size);
  }
};

__global__ void __launch_bounds__(kThreads, 4) attend_prefetched(Attention<bf16> a) {
  extern __shared__ __align__(16) unsigned char memory[];
  const BlockInputs inputs(a, memory);
  const int count = inputs.k.count;
  wait_for_previous_kernel();
  Spread q;
  q.load(a.q + inputs.query * a.q_stride + inputs.head * a.key_size, inputs.k.size);
  wait_for_tiles();
  inputs.k.multiply(q, inputs.scores);
  __syncthreads();
  const auto scale = static_cast<float>(a.scale);
  float largest = -INFINITY, sum = 0;
  for (int j = lane(); j < count; j += kWarp) largest = fmaxf(largest, scale * inputs.scores[j]);
  largest = warp_max(largest);
  for (int j = lane(); j < count; j += kWarp) sum += expf(scale * inputs.scores[j] - largest);
  sum = warp_sum(sum);
  const float2 mixed = inputs.v.mix([&](int j) { return expf(scale * inputs.scores[j] - largest); });
  const int col = 2 * static_cast<int>(threadIdx.x);
  const float share = sum > 0 ? 1 / sum : 0.0f;
  if (col < inputs.v.size)
    *reinterpret_cast<std::uint32_t*>(a.out + inputs.at * a.value_size + col) =
        pack_bf16(share * mixed.x, share * mixed.y);
  if (threadIdx.x == 0) a.log_sum[inputs.at] = sum > 0 ? largest + logf(sum) : -INFINITY;
}

// dq_i = sum_j ds_ij k_j with ds_ij = scale w_ij (do_i . v_j - do_i . o_i): see attention_rows.cu.
__global__ void __launch_bounds__(kThreads, 4) query_gradients_prefetched(AttentionBackward<bf16> b) {
  extern __shared__ __align__(16) unsigned char memory[];
  const Attention<bf16>& a = b.forward;
  const BlockInputs inputs(a, memory);
  const int count = inputs.k.count;
  const auto scale = static_cast<float>(a.scale);
  float *scores = inputs.scores, *dout_v = scores + count;
  Spread q, out, dout;
  q.load(a.q + inputs.query * a.q_stride + inputs.head * a.key_size, inputs.k.size);
  out.load(a.out + inputs.at * a.value_size, inputs.v.size);
  const float log_sum = a.log_sum[inputs.at];
  wait_for_tiles();
  inputs.k.multiply(q, scores);
  wait_for_previous_kernel();
  dout.load(b.dout + inputs.at * a.value_size, inputs.v.size);
  inputs.v.multiply(dout, dout_v);
  float dout_out = 0;
#pragma unroll
  for (int i = 0; i < kMost / (8 * kWarp); ++i) {
    Eight<bf16> mine, gradient;
    mine.raw[0] = out.eights[i], gradient.raw[0] = dout.eights[i];
    float x[8], y[8];
    mine.unpack(x), gradient.unpack(y);
#pragma unroll
    for (int e = 0; e < 8; ++e) dout_out += x[e] * y[e];
  }
  dout_out = warp_sum(dout_out);
  __syncthreads();
  float2 dq = inputs.k.mix([&](int j) { return scale * expf(scale * scores[j] - log_sum) * (dout_v[j] - dout_out); });
  const int col = 2 * static_cast<int>(threadIdx.x);
  if (col >= inputs.k.size) return;
  auto* to = reinterpret_cast<std::uint32_t*>(b.dq + inputs.query * b.dq_stride + inputs.head * a.key_size + col);
  if (b.accumulate_dq) dq.x += low_bf16(*to), dq.y += high_bf16(*to);
  *to = pack_bf16(dq.x, dq.y);
}

template <auto kernel, class Arguments>
void launch(const char* name, const Arguments& arguments, const Attention<bf16>& a) {
  static OncePerGpu allowed;
  allowed.here([name] { return allow_shared(name, kernel, kPrefetchBytes), true; });
  const Size bytes = prefetch_bytes(a.key_size, a.value_size, a.values_are_keys, a.longest);
  launch_dependent_with(static_cast<std::size_t>(bytes), name, kernel,
                        dim3(static_cast<unsigned>(a.queries), static_cast<unsigned>(a.heads)), kThreads, arguments);
}

}  // namespace

void attention_prefetch(const Attention<bf16>& a) { launch<attend_prefetched>("attention", a, a); }

void attention_prefetch(const AttentionBackward<bf16>& b) {
  launch<query_gradients_prefetched>("attention_backward", b, b.forward);
}

}  // namespace dragoman::kernels::cuda
