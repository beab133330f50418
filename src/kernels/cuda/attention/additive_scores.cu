#include "kernels/cuda/attention/additive_scores.cuh"

#include "kernels/cuda/rows/columns.h"
#include "kernels/cuda/runtime/dependent_launch.cuh"

// The scores of additive attention (Bahdanau et al. 2015) and their gradients, pair by pair.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 8, kThreads = kWarps * kWarp;

// A prefix sum over all sentences by one block; each thread has a contiguous range of sentences.
__global__ void scan_pairs(Size sentences, const std::int32_t* queries, const std::int32_t* keys,
                           std::int64_t* starts) {
  wait_for_previous_kernel();
  __shared__ std::int64_t warps[kWarp];
  const Size chunk = (sentences + blockDim.x - 1) / blockDim.x;
  const Size first = threadIdx.x * chunk, last = min(sentences, first + chunk);
  const auto pairs = [&](Size s) {
    return static_cast<std::int64_t>(queries[s + 1] - queries[s]) * (keys[s + 1] - keys[s]);
  };
  std::int64_t mine = 0;
  for (Size s = first; s < last; ++s) mine += pairs(s);
  // Prefix sums within the warp, then the sums of the preceding warps.
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
  __device__ Size first_query_seeing(Size j, bool causal) const {
    return causal ? max(Size{0}, j - keys + queries) : 0;
  }
};

// One block per query; the keys are distributed over its warps.
template <class T>
__global__ void scores(AdditiveScores<T> a, const std::int64_t* starts) {
  wait_for_previous_kernel();
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
  launch_dependent("additive_scores", scores<T>, static_cast<unsigned>(a.queries), kThreads, a, starts);
}

// One block per query: dq, and the contribution of the query to dv. Each thread has its own columns.
template <class T>
__global__ void additive_query_gradients(AdditiveScoresBackward<T> b, const std::int64_t* starts, float* dv) {
  wait_for_previous_kernel();
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
  wait_for_previous_kernel();
  const AdditiveScores<T>& a = b.forward;
  const Size key = blockIdx.x;
  const Side side(a, a.key_offsets, key);
  const T* dscores = b.dscores + starts[side.sentence] + key - side.first_key;
  for (Size d = threadIdx.x; d < a.size; d += blockDim.x) {
    const float k = to_float(a.k[key * a.size + d]);
    float slopes = 0;
    for (Size i = side.first_query_seeing(key - side.first_key, a.causal); i < side.queries; ++i) {
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
    launch_dependent("additive_scores_backward", additive_query_gradients<T>, static_cast<unsigned>(a.queries), threads,
                     b, starts, dv);
    if (b.dv != nullptr) add_columns(a.queries, a.size, dv, b.dv);
  }
  if (a.keys > 0 && b.dk != nullptr)
    launch_dependent("additive_scores_backward", additive_key_gradients<T>, static_cast<unsigned>(a.keys), threads, b,
                     starts);
}

}  // namespace

const std::int64_t* pair_starts(Size sentences, const std::int32_t* query_offsets, const std::int32_t* key_offsets) {
  auto* starts = scratch<std::int64_t>(Scratch::pairs, sentences);
  const unsigned threads = sentences <= kWarp ? kWarp : sentences <= 256 ? 256 : 1024;
  launch_dependent("pair offsets", scan_pairs, 1, threads, sentences, query_offsets, key_offsets, starts);
  return starts;
}

template <class T>
void fill_additive_scores(Kernels<T>& kernels) {
  kernels.additive_scores = additive_scores<T>;
  kernels.additive_scores_backward = additive_scores_backward<T>;
}

template void fill_additive_scores(Kernels<float>&);
template void fill_additive_scores(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
