#include "kernels/cuda/attention.cuh"

#include <cfloat>

#include "kernels/cuda/filling.h"
#include "kernels/cuda/pairs.cuh"

// Attention of any sizes: a block for each query and head (and, on the way back, for each key and head). Scores of one
// query lie in shared memory.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 4, kThreads = kWarps * kWarp;

template <class T>
__device__ float dot(const T* x, const T* y, Size size) {
  float sum = 0;
  for (Size d = threadIdx.x % kWarp; d < size; d += kWarp) sum += to_float(x[d]) * to_float(y[d]);
  return warp_sum(sum);
}

// One row of the dropout's matrix.
struct DropRow {
  Drop drop;
  std::uint64_t first;

  template <class T>
  __device__ DropRow(const Drop& d, const Attention<T>& a, Size query, Size head)
      : drop(d), first(static_cast<std::uint64_t>((query * a.heads + head) * Dropout::stride(a.longest))) {}
  __device__ float factor(Size key) const { return drop.factor(first + key); }
};

template <class T>
__global__ void attend(Attention<T> a, Drop drop, const std::int64_t* starts) {
  extern __shared__ float weights[];  // [keys]
  __shared__ float room[kWarps];
  const Size query = blockIdx.x, head = blockIdx.y;
  const Size s = sentence_of(a.query_offsets, a.sentences, query);
  const Sentence one(a, s);
  const Size visible = one.visible(query - one.first_query, a.causal);
  const T* q = a.q + query * a.q_stride + head * a.key_size;
  const T* k = a.k + head * a.key_size;
  const T* v = a.v + head * a.value_size;
  for (Size j = threadIdx.x / kWarp; j < visible; j += kWarps) {
    const float score = static_cast<float>(a.scale) * dot(q, k + one.key_row(a, j) * a.k_stride, a.key_size);
    if (threadIdx.x % kWarp == 0) weights[j] = score;
  }
  __syncthreads();
  float largest = -INFINITY, sum = 0;
  for (Size j = threadIdx.x; j < visible; j += kThreads) largest = fmaxf(largest, weights[j]);
  largest = block_max(largest, room);
  for (Size j = threadIdx.x; j < visible; j += kThreads) sum += weights[j] = expf(weights[j] - largest);
  sum = block_sum(sum, room);
  if (threadIdx.x == 0) a.log_sum[query * a.heads + head] = visible > 0 ? largest + logf(sum) : -INFINITY;
  const float share = 1 / sum;
  const DropRow row(drop, a, query, head);
  T* shown = nullptr;
  if (a.weights != nullptr)
    shown = a.weights + starts[s] * a.heads + (head * one.queries + query - one.first_query) * one.keys;
  for (Size j = threadIdx.x; j < one.keys; j += kThreads) {
    const float weight = j < visible ? weights[j] * share : 0.0f;
    if (shown != nullptr) shown[j] = rounded<T>(weight);
    if (j < visible) weights[j] = weight * row.factor(j);
  }
  __syncthreads();
  T* out = a.out + (query * a.heads + head) * a.value_size;
  for (Size d = threadIdx.x; d < a.value_size; d += kThreads) {
    float value = 0;
    for (Size j = 0; j < visible; ++j) value += weights[j] * to_float(v[one.key_row(a, j) * a.v_stride + d]);
    out[d] = rounded<T>(value);
  }
}

template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
  if (bytes > (std::size_t{47} << 10))
    check_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
                 "attention");
}

dim3 grid_of(Size rows, Size heads) { return {static_cast<unsigned>(rows), static_cast<unsigned>(heads)}; }

template <class T>
void attention(const Attention<T>& a) {
  if (a.queries == 0) return;
  if constexpr (std::is_same_v<T, bf16>)
    if (attention_on_tensor_cores(a) || attention_of_single_queries(a)) return;
  const std::int64_t* starts = nullptr;
  if (a.weights != nullptr) starts = pair_starts(a.sentences, a.query_offsets, a.key_offsets);
  const std::size_t shared = shared_bytes("attention", a.longest);
  allow_shared(attend<T>, shared);
  attend<<<grid_of(a.queries, a.heads), kThreads, shared, stream()>>>(a, Drop(a.dropout), starts);
  check_launch("attention");
}

// With w the weights and m the dropout factors (see the reference):
//   ds_ij = w_ij (m_ij (do_i . v_j) - do_i . o_i)
// What a pair contributes; the warp's lanes share the two products.
template <class T>
struct Pair {
  float kept, dscore;  // w m and scale * ds

  __device__ Pair(const AttentionBackward<T>& b, const DropRow& row, Size query, Size key, Size j, Size head,
                  float dout_out) {
    const Attention<T>& a = b.forward;
    const float scale = static_cast<float>(a.scale);
    const float score = scale * dot(a.q + query * a.q_stride + head * a.key_size,
                                    a.k + key * a.k_stride + head * a.key_size, a.key_size);
    const float weight = expf(score - a.log_sum[query * a.heads + head]);
    const float factor = row.factor(j);
    const float dout_v = dot(b.dout + (query * a.heads + head) * a.value_size,
                             a.v + key * a.v_stride + head * a.value_size, a.value_size);
    kept = weight * factor;
    dscore = scale * weight * (factor * dout_v - dout_out);
  }
};

template <class T>
__global__ void query_gradients(AttentionBackward<T> b, Drop drop) {
  extern __shared__ float dscores[];  // [keys]
  const Attention<T>& a = b.forward;
  const Size query = blockIdx.x, head = blockIdx.y;
  const Sentence one(a, sentence_of(a.query_offsets, a.sentences, query));
  const Size visible = one.visible(query - one.first_query, a.causal), at = (query * a.heads + head) * a.value_size;
  const float dout_out = dot(b.dout + at, a.out + at, a.value_size);
  const DropRow row(drop, a, query, head);
  for (Size j = threadIdx.x / kWarp; j < visible; j += kWarps) {
    const Pair<T> pair(b, row, query, one.first_key + j, j, head, dout_out);
    if (threadIdx.x % kWarp == 0) dscores[j] = pair.dscore;
  }
  __syncthreads();
  const T* k = a.k + one.first_key * a.k_stride + head * a.key_size;
  T* dq = b.dq + query * b.dq_stride + head * a.key_size;
  for (Size d = threadIdx.x; d < a.key_size; d += kThreads) {
    float value = 0;
    for (Size j = 0; j < visible; ++j) value += dscores[j] * to_float(k[j * a.k_stride + d]);
    put(dq[d], value, b.accumulate_dq);
  }
}

template <class T>
__global__ void key_gradients(AttentionBackward<T> b, Drop drop) {
  extern __shared__ float pairs[];  // [2, queries]: w m, then scale * ds
  const Attention<T>& a = b.forward;
  const Size key = blockIdx.x, head = blockIdx.y;
  const Sentence one(a, sentence_of(a.key_offsets, a.sentences, key));
  const Size j = key - one.first_key;
  // Queries before this one do not see the key.
  const Size first = a.causal ? max(Size{0}, j - one.keys + one.queries) : 0;
  float *kept = pairs, *dscores = pairs + one.queries;
  for (Size i = first + threadIdx.x / kWarp; i < one.queries; i += kWarps) {
    const Size query = one.first_query + i, at = (query * a.heads + head) * a.value_size;
    const DropRow row(drop, a, query, head);
    const Pair<T> pair(b, row, query, key, j, head, dot(b.dout + at, a.out + at, a.value_size));
    if (threadIdx.x % kWarp == 0) kept[i] = pair.kept, dscores[i] = pair.dscore;
  }
  __syncthreads();
  if (b.dk != nullptr)
    for (Size d = threadIdx.x; d < a.key_size; d += kThreads) {
      float value = 0;
      for (Size i = first; i < one.queries; ++i)
        value += dscores[i] * to_float(a.q[(one.first_query + i) * a.q_stride + head * a.key_size + d]);
      put(b.dk[key * b.dk_stride + head * a.key_size + d], value, b.accumulate_dk);
    }
  if (b.dv != nullptr)
    for (Size d = threadIdx.x; d < a.value_size; d += kThreads) {
      float value = 0;
      for (Size i = first; i < one.queries; ++i)
        value += kept[i] * to_float(b.dout[((one.first_query + i) * a.heads + head) * a.value_size + d]);
      put(b.dv[key * b.dv_stride + head * a.value_size + d], value, b.accumulate_dv);
    }
}

template <class T>
void attention_backward(const AttentionBackward<T>& b) {
  const Attention<T>& a = b.forward;
  if constexpr (std::is_same_v<T, bf16>)
    if (attention_on_tensor_cores(b)) return;
  const Drop drop(a.dropout);
  if (a.queries > 0 && b.dq != nullptr) {
    const std::size_t shared = shared_bytes("attention", a.longest);
    allow_shared(query_gradients<T>, shared);
    query_gradients<<<grid_of(a.queries, a.heads), kThreads, shared, stream()>>>(b, drop);
    check_launch("attention_backward");
  }
  if (a.keys > 0 && (b.dk != nullptr || b.dv != nullptr)) {
    const std::size_t shared = shared_bytes("attention_backward", 2 * a.longest_queries);
    allow_shared(key_gradients<T>, shared);
    key_gradients<<<grid_of(a.keys, a.heads), kThreads, shared, stream()>>>(b, drop);
    check_launch("attention_backward");
  }
}

}  // namespace

template <class T>
void fill_attention(Kernels<T>& kernels) {
  kernels.attention = attention<T>;
  kernels.attention_backward = attention_backward<T>;
}

template void fill_attention(Kernels<float>&);
template void fill_attention(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
