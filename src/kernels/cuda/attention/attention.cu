#include "kernels/cuda/attention/attention.cuh"

#include "kernels/cuda/attention/additive_scores.cuh"
#include "kernels/cuda/filling.h"

// The attention entries of the contract, and the general kernels for all sizes. These have one block per query and head
// and, for the gradients of keys and values, one per key and head. The scores of a query are in shared memory.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 8, kThreads = kWarps * kWarp;
constexpr int kMany = 4;  // rows that a warp multiplies by a vector at a time

// sums[i] = x . row(i), computed by a warp; a row may be null. With kWide, rows are aligned and their size is a
// multiple of eight.
template <bool kWide, class T, int kCount, class Row>
__device__ void dots(const T* x, Size size, Row row, float (&sums)[kCount]) {
  const Size lane = threadIdx.x % kWarp;
  const T* rows[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) rows[i] = row(i), sums[i] = 0;
  for (Size d = kWide ? 8 * lane : lane; d < size; d += kWide ? 8 * kWarp : kWarp) {
    constexpr int kEach = kWide ? 8 : 1;
    float a[kEach], b[kCount][kEach];
    if constexpr (kWide)
      load8(x + d, a);
    else
      a[0] = to_float(x[d]);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (rows[i] == nullptr) continue;
      if constexpr (kWide)
        load8(rows[i] + d, b[i]);
      else
        b[i][0] = to_float(rows[i][d]);
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (rows[i] != nullptr)
        for (int e = 0; e < kEach; ++e) sums[i] += a[e] * b[i][e];
  }
#pragma unroll
  for (float& sum : sums) sum = warp_sum(sum);
}
template <bool kWide, class T>
__device__ float dot(const T* x, const T* y, Size size) {
  float sum[1];
  dots<kWide>(
      x, size, [y](int) { return y; }, sum);
  return sum[0];
}

// Calls put(d, sum) for every column d, where sum is that of weights[j] * row(j)[d] over first <= j < last. Called by
// all threads of a block. With kWide, several threads share eight columns, each taking every n-th row.
template <bool kWide, class Row, class Put>
__device__ void mix(Size first, Size last, const float* weights, Size size, Row row, Put put) {
  if constexpr (!kWide) {
    for (Size d = threadIdx.x; d < size; d += kThreads) {
      float sum = 0;
      for (Size j = first; j < last; ++j) sum += weights[j] * to_float(row(j)[d]);
      put(d, sum);
    }
  } else {
    __shared__ __align__(16) float room[8 * kThreads];
    const int eights = static_cast<int>(size) / 8, parts = kThreads / eights;
    const int part = static_cast<int>(threadIdx.x) / eights, d = static_cast<int>(threadIdx.x) % eights * 8;
    float sum[8] = {};
    if (part < parts)
#pragma unroll 4
      for (Size j = first + part; j < last; j += parts) {
        float value[8];
        load8(row(j) + d, value);
        for (int e = 0; e < 8; ++e) sum[e] += weights[j] * value[e];
      }
    __syncthreads();
    store8(room + 8 * threadIdx.x, sum);
    __syncthreads();
    for (Size c = threadIdx.x; c < size; c += kThreads) {
      float total = 0;
      for (int p = 0; p < parts; ++p) total += room[p * size + c];
      put(c, total);
    }
  }
}

static_assert(kMostEights == 8 * kThreads, "each eight of a row has a thread");

// One row of the dropout matrix.
struct DropRow {
  Drop drop;
  std::uint64_t first;

  template <class T>
  __device__ DropRow(const Drop& d, const Attention<T>& a, Size query, Size head)
      : drop(d), first(static_cast<std::uint64_t>((query * a.heads + head) * Dropout::stride(a.longest))) {}
  __device__ float factor(Size key) const { return drop.factor(first + key); }
};

template <bool kWide, class T>
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
  for (Size j = threadIdx.x / kWarp; j < visible; j += kMany * kWarps) {
    float scores[kMany];
    const auto key = [&](int i) {
      return j + i * kWarps < visible ? k + one.key_row(a, j + i * kWarps) * a.k_stride : nullptr;
    };
    dots<kWide>(q, a.key_size, key, scores);
#pragma unroll
    for (int i = 0; i < kMany; ++i)
      if (threadIdx.x % kWarp == 0 && j + i * kWarps < visible)
        weights[j + i * kWarps] = static_cast<float>(a.scale) * scores[i];
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
  mix<kWide>(
      0, visible, weights, a.value_size, [&](Size j) { return v + one.key_row(a, j) * a.v_stride; },
      [&](Size d, float value) { out[d] = rounded<T>(value); });
}

// Launches one block per row and head, with `numbers` floats of shared memory.
template <class... Arguments>
void launch(const char* op, Size rows, Size heads, Size numbers, void (*kernel)(Arguments...), Arguments... arguments) {
  const std::size_t bytes = shared_bytes(op, numbers);
  if (bytes > (std::size_t{32} << 10)) allow_shared(op, kernel, static_cast<Size>(bytes));
  const dim3 grid(static_cast<unsigned>(rows), static_cast<unsigned>(heads));
  kernel<<<grid, kThreads, bytes, stream()>>>(arguments...);
  check_launch(op);
}

template <bool kWide, class T>
void attention_general(const Attention<T>& a) {
  const std::int64_t* starts = nullptr;
  if (a.weights != nullptr) starts = pair_starts(a.sentences, a.query_offsets, a.key_offsets);
  launch("attention", a.queries, a.heads, a.longest, attend<kWide, T>, a, Drop(a.dropout), starts);
}

template <class T>
void attention(const Attention<T>& a) {
  if (a.queries == 0) return;
  const AttentionKernel kernel = choose_attention(shape_of(a), gpu_limits());
  if constexpr (std::is_same_v<T, bf16>) switch (kernel) {
      case AttentionKernel::few_queries: return attention_few_queries(a);
      case AttentionKernel::wgmma: return attention_wgmma(a);
      case AttentionKernel::tiles: return attention_tiles(a);
      case AttentionKernel::prefetch: return attention_prefetch(a);
      case AttentionKernel::rows: return attention_rows(a);
      case AttentionKernel::general_vectors:
      case AttentionKernel::general: break;
    }
  if (kernel == AttentionKernel::general_vectors)
    attention_general<true>(a);
  else
    attention_general<false>(a);
}

// With w the weights and m the dropout factors (see the reference):
//   ds_ij = w_ij (m_ij (do_i . v_j) - do_i . o_i)
// The factors of one query and key in the gradients.
struct Pair {
  float kept, dscore;  // w m and scale * ds

  // From q . k and do . v.
  template <class T>
  __device__ Pair(const Attention<T>& a, const DropRow& row, Size query, Size j, Size head, float q_k, float dout_v,
                  float dout_out) {
    const float scale = static_cast<float>(a.scale);
    const float weight = expf(scale * q_k - a.log_sum[query * a.heads + head]);
    const float factor = row.factor(j);
    kept = weight * factor;
    dscore = scale * weight * (factor * dout_v - dout_out);
  }
};

template <bool kWide, class T>
__global__ void query_gradients(AttentionBackward<T> b, Drop drop) {
  extern __shared__ float dscores[];  // [keys]
  const Attention<T>& a = b.forward;
  const Size query = blockIdx.x, head = blockIdx.y;
  const Sentence one(a, sentence_of(a.query_offsets, a.sentences, query));
  const Size visible = one.visible(query - one.first_query, a.causal), at = (query * a.heads + head) * a.value_size;
  const float dout_out = dot<kWide>(b.dout + at, a.out + at, a.value_size);
  const DropRow row(drop, a, query, head);
  const T* k = a.k + one.first_key * a.k_stride + head * a.key_size;
  const T* v = a.v + one.first_key * a.v_stride + head * a.value_size;
  for (Size j = threadIdx.x / kWarp; j < visible; j += kMany * kWarps) {
    float q_k[kMany], dout_v[kMany];
    const auto row_of = [&](const T* rows, Size stride, int i) {
      return j + i * kWarps < visible ? rows + (j + i * kWarps) * stride : nullptr;
    };
    dots<kWide>(
        a.q + query * a.q_stride + head * a.key_size, a.key_size, [&](int i) { return row_of(k, a.k_stride, i); }, q_k);
    dots<kWide>(
        b.dout + at, a.value_size, [&](int i) { return row_of(v, a.v_stride, i); }, dout_v);
#pragma unroll
    for (int i = 0; i < kMany; ++i)
      if (threadIdx.x % kWarp == 0 && j + i * kWarps < visible)
        dscores[j + i * kWarps] = Pair(a, row, query, j + i * kWarps, head, q_k[i], dout_v[i], dout_out).dscore;
  }
  __syncthreads();
  T* dq = b.dq + query * b.dq_stride + head * a.key_size;
  mix<kWide>(
      0, visible, dscores, a.key_size, [&](Size j) { return k + j * a.k_stride; },
      [&](Size d, float value) { put(dq[d], value, b.accumulate_dq); });
}

template <bool kWide, class T>
__global__ void key_gradients(AttentionBackward<T> b, Drop drop) {
  extern __shared__ float pairs[];  // [2, queries]: w m, then scale * ds
  const Attention<T>& a = b.forward;
  const Size key = blockIdx.x, head = blockIdx.y;
  const Sentence one(a, sentence_of(a.key_offsets, a.sentences, key));
  const Size j = key - one.first_key;
  // The first query that sees the key.
  const Size first = a.causal ? max(Size{0}, j - one.keys + one.queries) : 0;
  float *kept = pairs, *dscores = pairs + one.queries;
  for (Size i = first + threadIdx.x / kWarp; i < one.queries; i += kWarps) {
    const Size query = one.first_query + i, at = (query * a.heads + head) * a.value_size;
    const DropRow row(drop, a, query, head);
    const float q_k = dot<kWide>(a.q + query * a.q_stride + head * a.key_size,
                                 a.k + key * a.k_stride + head * a.key_size, a.key_size);
    const float dout_v = dot<kWide>(b.dout + at, a.v + key * a.v_stride + head * a.value_size, a.value_size);
    const Pair pair(a, row, query, j, head, q_k, dout_v, dot<kWide>(b.dout + at, a.out + at, a.value_size));
    if (threadIdx.x % kWarp == 0) kept[i] = pair.kept, dscores[i] = pair.dscore;
  }
  __syncthreads();
  if (b.dk != nullptr)
    mix<kWide>(
        first, one.queries, dscores, a.key_size,
        [&](Size i) { return a.q + (one.first_query + i) * a.q_stride + head * a.key_size; },
        [&](Size d, float value) { put(b.dk[key * b.dk_stride + head * a.key_size + d], value, b.accumulate_dk); });
  if (b.dv != nullptr)
    mix<kWide>(
        first, one.queries, kept, a.value_size,
        [&](Size i) { return b.dout + ((one.first_query + i) * a.heads + head) * a.value_size; },
        [&](Size d, float value) { put(b.dv[key * b.dv_stride + head * a.value_size + d], value, b.accumulate_dv); });
}

template <bool kWide, class T>
void attention_backward_general(const AttentionBackward<T>& b) {
  const Attention<T>& a = b.forward;
  const Drop drop(a.dropout);
  if (a.queries > 0 && b.dq != nullptr)
    launch("attention_backward", a.queries, a.heads, a.longest, query_gradients<kWide, T>, b, drop);
  if (a.keys > 0 && (b.dk != nullptr || b.dv != nullptr))
    launch("attention_backward", a.keys, a.heads, 2 * a.longest_queries, key_gradients<kWide, T>, b, drop);
}

template <class T>
void attention_backward(const AttentionBackward<T>& b) {
  const AttentionBackwardKernel kernel = choose_attention_backward(shape_of(b), gpu_limits());
  if constexpr (std::is_same_v<T, bf16>) switch (kernel) {
      case AttentionBackwardKernel::tiles: return attention_tiles(b);
      case AttentionBackwardKernel::prefetch: return attention_prefetch(b);
      case AttentionBackwardKernel::rows_and_wide_keys: return attention_rows(b, true);
      case AttentionBackwardKernel::rows: return attention_rows(b, false);
      case AttentionBackwardKernel::general_vectors:
      case AttentionBackwardKernel::general: break;
    }
  if (kernel == AttentionBackwardKernel::general_vectors)
    attention_backward_general<true>(b);
  else
    attention_backward_general<false>(b);
}

}  // namespace

template <class T>
void fill_attention(Kernels<T>& kernels) {
  kernels.attention = attention<T>;
  kernels.attention_backward = attention_backward<T>;
  fill_additive_scores(kernels);
}

template void fill_attention(Kernels<float>&);
template void fill_attention(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
