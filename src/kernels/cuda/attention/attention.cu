#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/runtime/early.cuh"

#include <cfloat>

#include "kernels/cuda/filling.h"
#include "kernels/cuda/rows/columns.h"
#include "kernels/cuda/search/row_recorder.h"

// Attention of any sizes, and the entries of the contract. The general kernels use a block per query and head; backward
// also one per key and head. The scores of one query are in shared memory.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 8, kThreads = kWarps * kWarp;
constexpr int kMany = 4;  // rows that a warp multiplies with a vector at a time

// A prefix sum over all sentences by one block; each thread has a range of sentences.
__global__ void scan_pairs(Size sentences, const std::int32_t* queries, const std::int32_t* keys,
                           std::int64_t* starts) {
  wait_for_kernel_before();
  __shared__ std::int64_t warps[kWarp];
  const Size stretch = (sentences + blockDim.x - 1) / blockDim.x;
  const Size first = threadIdx.x * stretch, last = min(sentences, first + stretch);
  const auto pairs = [&](Size s) {
    return static_cast<std::int64_t>(queries[s + 1] - queries[s]) * (keys[s + 1] - keys[s]);
  };
  std::int64_t mine = 0;
  for (Size s = first; s < last; ++s) mine += pairs(s);
  // Prefix sums within the warp, then the sums of the warps before.
  const unsigned lane = threadIdx.x % kWarp;
  std::int64_t upto = mine;
  for (unsigned apart = 1; apart < kWarp; apart *= 2) {
    const std::int64_t other = __shfl_up_sync(kAllLanes, upto, apart);
    if (lane >= apart) upto += other;
  }
  if (lane == kWarp - 1) warps[threadIdx.x / kWarp] = upto;
  __syncthreads();
  std::int64_t before = upto - mine;
  for (unsigned w = 0; w < threadIdx.x / kWarp; ++w) before += warps[w];
  for (Size s = first; s < last; ++s) {
    starts[s] = before;
    before += pairs(s);
  }
}

// The offset of each sentence's [nq, nk] matrix when the matrices are stored one after the other; in scratch memory.
const std::int64_t* pair_starts(Size sentences, const std::int32_t* query_offsets, const std::int32_t* key_offsets) {
  auto* starts = scratch<std::int64_t>(Scratch::pairs, sentences);
  const unsigned threads = sentences <= kWarp ? kWarp : sentences <= 256 ? 256 : 1024;
  launch_early("places of pairs", scan_pairs, 1, threads, sentences, query_offsets, key_offsets, starts);
  return starts;
}

// ---- products as scores ---------------------------------------------------------------------------------------

// sums[i] = x . row(i), by the lanes of a warp; a row may be null. kWide: rows are aligned and their size is a multiple
// of eight.
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

// Calls put(d, sum) with the sum over rows first <= j < last of weights[j] * row(j)[d] for every d, by all threads of a
// block. With kWide, several threads share eight columns, each taking every n-th row.
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

// Launches a block per row and head with `numbers` floats of shared memory.
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
  if constexpr (std::is_same_v<T, bf16>)
    if (record(a)) return;
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

// ---- additive scores ------------------------------------------------------------------------------------------

// The sentence of a query or of a key.
struct Side {
  Size sentence, first_query, queries, first_key, keys;

  template <class T>
  __device__ Side(const AdditiveScores<T>& a, const std::int32_t* offsets, Size row)
      : sentence(sentence_of(offsets, a.sentences, row)),
        first_query(a.query_offsets[sentence]),
        queries(a.query_offsets[sentence + 1] - first_query),
        first_key(a.key_offsets[sentence]),
        keys(a.key_offsets[sentence + 1] - first_key) {}

  // The number of keys that query i sees, and the first query that sees key j.
  __device__ Size visible(Size i, bool causal) const { return causal ? max(Size{0}, keys - queries + i + 1) : keys; }
  __device__ Size first_asking(Size j, bool causal) const { return causal ? max(Size{0}, j - keys + queries) : 0; }
};

// A block per query; its warps take the keys in turn.
template <class T>
__global__ void scores(AdditiveScores<T> a, const std::int64_t* starts) {
  wait_for_kernel_before();
  const Size query = blockIdx.x;
  const Side side(a, a.query_offsets, query);
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  T* row = a.scores + starts[side.sentence] + (query - side.first_query) * side.keys;
  const Size visible = side.visible(query - side.first_query, a.causal);
  for (Size j = visible + threadIdx.x; j < side.keys; j += kThreads) row[j] = rounded<T>(kHidden);
  for (Size j = warp; j < visible; j += kWarps) {
    float sum = 0;
    for (Size d = lane; d < a.size; d += kWarp)
      sum += to_float(a.v[d]) *
             tanhf(to_float(a.q[query * a.size + d]) + to_float(a.k[(side.first_key + j) * a.size + d]));
    sum = warp_sum(sum);
    if (lane == 0) row[j] = rounded<T>(sum);
  }
}

template <class T>
void additive_scores(const AdditiveScores<T>& a) {
  if (a.queries == 0 || a.keys == 0) return;
  const std::int64_t* starts = pair_starts(a.sentences, a.query_offsets, a.key_offsets);
  launch_early("additive_scores", scores<T>, static_cast<unsigned>(a.queries), kThreads, a, starts);
}

// A block per query: dq, and this query's contribution to dv. Each thread has its own columns.
template <class T>
__global__ void additive_query_gradients(AdditiveScoresBackward<T> b, const std::int64_t* starts, float* dv) {
  wait_for_kernel_before();
  const AdditiveScores<T>& a = b.forward;
  const Size query = blockIdx.x;
  const Side side(a, a.query_offsets, query);
  const T* dscores = b.dscores + starts[side.sentence] + (query - side.first_query) * side.keys;
  const Size visible = side.visible(query - side.first_query, a.causal);
  for (Size d = threadIdx.x; d < a.size; d += blockDim.x) {
    const float q = to_float(a.q[query * a.size + d]);
    float slopes = 0, heights = 0;
    for (Size j = 0; j < visible; ++j) {
      const float t = tanhf(q + to_float(a.k[(side.first_key + j) * a.size + d])), ds = to_float(dscores[j]);
      slopes += ds * (1 - t * t);
      heights += ds * t;
    }
    if (b.dq != nullptr) put(b.dq[query * a.size + d], slopes * to_float(a.v[d]), b.accumulate_dq);
    if (dv != nullptr) dv[query * a.size + d] = heights;
  }
}

template <class T>
__global__ void additive_key_gradients(AdditiveScoresBackward<T> b, const std::int64_t* starts) {
  wait_for_kernel_before();
  const AdditiveScores<T>& a = b.forward;
  const Size key = blockIdx.x;
  const Side side(a, a.key_offsets, key);
  const T* dscores = b.dscores + starts[side.sentence] + key - side.first_key;
  for (Size d = threadIdx.x; d < a.size; d += blockDim.x) {
    const float k = to_float(a.k[key * a.size + d]);
    float slopes = 0;
    for (Size i = side.first_asking(key - side.first_key, a.causal); i < side.queries; ++i) {
      const float t = tanhf(k + to_float(a.q[(side.first_query + i) * a.size + d]));
      slopes += to_float(dscores[i * side.keys]) * (1 - t * t);
    }
    put(b.dk[key * a.size + d], slopes * to_float(a.v[d]), b.accumulate_dk);
  }
}

template <class T>
void additive_scores_backward(const AdditiveScoresBackward<T>& b) {
  const AdditiveScores<T>& a = b.forward;
  if (a.sentences == 0 || a.size == 0) return;
  const std::int64_t* starts = pair_starts(a.sentences, a.query_offsets, a.key_offsets);
  const unsigned threads = a.size <= 64 ? 64 : kThreads;
  if (a.queries > 0 && (b.dq != nullptr || b.dv != nullptr)) {
    float* dv = b.dv != nullptr ? scratch<float>(Scratch::products, a.queries * a.size) : nullptr;
    launch_early("additive_scores_backward", additive_query_gradients<T>, static_cast<unsigned>(a.queries), threads, b,
                 starts, dv);
    if (b.dv != nullptr) add_columns(a.queries, a.size, dv, b.dv);
  }
  if (a.keys > 0 && b.dk != nullptr)
    launch_early("additive_scores_backward", additive_key_gradients<T>, static_cast<unsigned>(a.keys), threads, b,
                 starts);
}

}  // namespace

template <class T>
void fill_attention(Kernels<T>& kernels) {
  kernels.attention = attention<T>;
  kernels.attention_backward = attention_backward<T>;
  kernels.additive_scores = additive_scores<T>;
  kernels.additive_scores_backward = additive_scores_backward<T>;
}

template void fill_attention(Kernels<float>&);
template void fill_attention(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
