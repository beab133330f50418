#include <algorithm>

#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/runtime/dependent_launch.cuh"

// Attention for heads of up to 512 numbers in bf16, without tensor cores. A group of lanes holds a query (for the key
// gradients, a key) in registers and loops over the rows of its sentence, a few at a time. Where there are few queries,
// several groups share a query, each taking every n-th key, and combine their partial results (split-K).
namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 256;

// A group of kLanes lanes. Rows are distributed over them, kEach times eight numbers per lane, and padded with zeros.
template <int kLanes, int kEach>
struct Group {
  static constexpr int kCount = kThreads / kLanes;  // groups per block

  struct Raw {
    uint4 eights[kEach];

    __device__ void load(const bf16* row, Size size) {
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        const int d = column(i);
        eights[i] = row != nullptr && d < size ? *reinterpret_cast<const uint4*>(row + d) : uint4{};
      }
    }
    __device__ void unpack(int i, float (&to)[8]) const {
      Eight<bf16> eight;
      eight.raw[0] = eights[i];
      eight.unpack(to);
    }
  };
  struct Row {
    float values[kEach][8] = {};

    __device__ void load(const bf16* row, Size size) {
      Raw raw;
      raw.load(row, size);
#pragma unroll
      for (int i = 0; i < kEach; ++i) raw.unpack(i, values[i]);
    }
    __device__ void add(float factor, const Raw& row) {
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        float x[8];
        row.unpack(i, x);
#pragma unroll
        for (int e = 0; e < 8; ++e) values[i][e] += factor * x[e];
      }
    }
    __device__ void scale(float factor) {
#pragma unroll
      for (auto& eight : values)
#pragma unroll
        for (float& value : eight) value *= factor;
    }
    // The lane's part of the dot product with a row.
    __device__ float dot(const Raw& row) const {
      float sum = 0;
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        float x[8];
        row.unpack(i, x);
#pragma unroll
        for (int e = 0; e < 8; ++e) sum += values[i][e] * x[e];
      }
      return sum;
    }
    __device__ void store(bf16* row, Size size, bool accumulate) {
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        const int d = column(i);
        if (d >= size) continue;
        float before[8] = {};
        if (accumulate) load8(row + d, before);
#pragma unroll
        for (int e = 0; e < 8; ++e) before[e] += values[i][e];
        store8(row + d, before);
      }
    }
  };

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kLanes; }
  __device__ static int number() { return static_cast<int>(threadIdx.x) / kLanes; }
  __device__ static int column(int i) { return (lane() + i * kLanes) * 8; }
  // The sum over the lanes of the group. The groups of a warp may have diverged, hence the mask.
  __device__ static float sum(float x) {
    const unsigned mask =
        kLanes == kWarp ? kAllLanes : ((1u << kLanes % kWarp) - 1u) << (threadIdx.x % kWarp / kLanes * kLanes);
#pragma unroll
    for (int apart = kLanes / 2; apart > 0; apart /= 2) x += __shfl_xor_sync(mask, x, apart);
    return x;
  }
};

constexpr int kMany = 4;  // rows that a group processes at a time

// The work of a group: a query or key, and a head. `parts` groups share it; this is number `part` of them.
struct Item {
  Size row, head;
  int part, parts;
  bool exists;

  __device__ Item(int group, int groups, int shared, Size rows, Size heads) : part(group % shared), parts(shared) {
    const Size item = static_cast<Size>(blockIdx.x) * (groups / shared) + group / shared;
    row = item / heads, head = item % heads, exists = row < rows;
  }
};

__device__ Size sentence_of_query(const Attention<bf16>& a, Size query) {
  const bool one_each = a.longest_queries == 1 && a.queries == a.sentences;
  return one_each ? query : sentence_of(a.query_offsets, a.sentences, query);
}

__device__ std::uint64_t first_dropped(const Attention<bf16>& a, Size query, Size head) {
  return static_cast<std::uint64_t>((query * a.heads + head) * Dropout::stride(a.longest));
}

// ---- forward ----------------------------------------------------------------------------------------------------

template <int kLanes, int kEach>
__global__ void __launch_bounds__(kThreads, kEach == 1 ? 3 : 2) attend_rows(Attention<bf16> a, Drop drop, int shared) {
  wait_for_previous_kernel();
  using G = Group<kLanes, kEach>;
  const Item item(G::number(), G::kCount, shared, a.queries, a.heads);
  typename G::Row q, mixed;
  float largest = -INFINITY, sum = 0;
  if (item.exists) {
    const Sentence one(a, sentence_of_query(a, item.row));
    const Size visible = one.visible(item.row - one.first_query, a.causal);
    q.load(a.q + item.row * a.q_stride + item.head * a.key_size, a.key_size);
    q.scale(static_cast<float>(a.scale));
    for (Size first = item.part; first < visible; first += kMany * item.parts) {
      typename G::Raw k[kMany], v[kMany];
      float scores[kMany], most = largest;
#pragma unroll
      for (int i = 0; i < kMany; ++i) {
        const Size j = first + i * item.parts;
        const Size row = j < visible ? one.key_row(a, j) : 0;
        k[i].load(j < visible ? a.k + row * a.k_stride + item.head * a.key_size : nullptr, a.key_size);
        v[i].load(j < visible ? a.v + row * a.v_stride + item.head * a.value_size : nullptr, a.value_size);
      }
#pragma unroll
      for (int i = 0; i < kMany; ++i) {
        scores[i] = first + i * item.parts < visible ? G::sum(q.dot(k[i])) : -INFINITY;
        most = fmaxf(most, scores[i]);
      }
      const float shrink = expf(largest - most);  // 0 for the first keys
      largest = most;
      sum *= shrink;
      mixed.scale(shrink);
#pragma unroll
      for (int i = 0; i < kMany; ++i) {
        const Size j = first + i * item.parts;
        const float weight = expf(scores[i] - largest);
        sum += weight;
        mixed.add(j < visible ? weight * drop.factor(first_dropped(a, item.row, item.head) + j) : 0.0f, v[i]);
      }
    }
  }
  if (shared > 1) {
    __shared__ __align__(16) float rows[kThreads][kEach][8];
    __shared__ float states[G::kCount][2];
#pragma unroll
    for (int i = 0; i < kEach; ++i) store8(rows[threadIdx.x][i], mixed.values[i]);
    if (G::lane() == 0) states[G::number()][0] = largest, states[G::number()][1] = sum;
    __syncthreads();
    if (item.part > 0 || !item.exists) return;
    float most = largest;
    for (int p = 1; p < shared; ++p) most = fmaxf(most, states[G::number() + p][0]);
    const auto factor = [&](float of) { return of == -INFINITY ? 0.0f : expf(of - most); };
    mixed.scale(factor(largest));
    sum *= factor(largest);
    for (int p = 1; p < shared; ++p) {
      const float by = factor(states[G::number() + p][0]);
      sum += by * states[G::number() + p][1];
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int e = 0; e < 8; ++e) mixed.values[i][e] += by * rows[threadIdx.x + p * kLanes][i][e];
    }
    largest = most;
  }
  if (!item.exists) return;
  mixed.scale(sum > 0 ? 1 / sum : 0.0f);
  const Size at = item.row * a.heads + item.head;
  mixed.store(a.out + at * a.value_size, a.value_size, false);
  if (G::lane() == 0) a.log_sum[at] = sum > 0 ? largest + logf(sum) : -INFINITY;
}

// ---- backward ---------------------------------------------------------------------------------------------------

// With w the weights and m the dropout factors (see the reference):
//   ds_ij = scale w_ij (m_ij (do_i . v_j) - do_i . o_i);  dq_i = sum_j ds_ij k_j;  dk_j = sum_i ds_ij q_i;
//   dv_j = sum_i w_ij m_ij do_i
struct Pair {
  float kept, dscore;

  __device__ Pair(const Attention<bf16>& a, float q_k, float log_sum, float factor, float dout_v, float dout_out) {
    const auto scale = static_cast<float>(a.scale);
    const float weight = expf(scale * q_k - log_sum);
    kept = weight * factor;
    dscore = scale * weight * (factor * dout_v - dout_out);
  }
};

template <int kLanes, int kEach>
__global__ void __launch_bounds__(kThreads, 2)
    query_gradients_of_rows(AttentionBackward<bf16> b, Drop drop, int shared) {
  wait_for_previous_kernel();
  using G = Group<kLanes, kEach>;
  const Attention<bf16>& a = b.forward;
  const Item item(G::number(), G::kCount, shared, a.queries, a.heads);
  typename G::Row q, dout, dq;
  if (item.exists) {
    const Sentence one(a, sentence_of_query(a, item.row));
    const Size visible = one.visible(item.row - one.first_query, a.causal), at = item.row * a.heads + item.head;
    typename G::Raw out;
    q.load(a.q + item.row * a.q_stride + item.head * a.key_size, a.key_size);
    dout.load(b.dout + at * a.value_size, a.value_size);
    out.load(a.out + at * a.value_size, a.value_size);
    const float dout_out = G::sum(dout.dot(out)), log_sum = a.log_sum[at];
    for (Size first = item.part; first < visible; first += kMany * item.parts) {
      typename G::Raw k[kMany], v[kMany];
#pragma unroll
      for (int i = 0; i < kMany; ++i) {
        const Size j = first + i * item.parts, row = one.first_key + j;
        k[i].load(j < visible ? a.k + row * a.k_stride + item.head * a.key_size : nullptr, a.key_size);
        v[i].load(j < visible ? a.v + row * a.v_stride + item.head * a.value_size : nullptr, a.value_size);
      }
#pragma unroll
      for (int i = 0; i < kMany; ++i) {
        const Size j = first + i * item.parts;
        const float q_k = G::sum(q.dot(k[i])), dout_v = G::sum(dout.dot(v[i]));
        if (j >= visible) continue;
        const float factor = drop.factor(first_dropped(a, item.row, item.head) + j);
        dq.add(Pair(a, q_k, log_sum, factor, dout_v, dout_out).dscore, k[i]);
      }
    }
  }
  if (shared > 1) {
    __shared__ __align__(16) float rows[kThreads][kEach][8];
#pragma unroll
    for (int i = 0; i < kEach; ++i) store8(rows[threadIdx.x][i], dq.values[i]);
    __syncthreads();
    if (item.part > 0) return;
    for (int p = 1; p < shared; ++p)
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int e = 0; e < 8; ++e) dq.values[i][e] += rows[threadIdx.x + p * kLanes][i][e];
  }
  if (item.exists) dq.store(b.dq + item.row * b.dq_stride + item.head * a.key_size, a.key_size, b.accumulate_dq);
}

template <int kLanes, int kEach>
__global__ void __launch_bounds__(kThreads, 2) key_gradients_of_rows(AttentionBackward<bf16> b, Drop drop, int) {
  wait_for_previous_kernel();
  using G = Group<kLanes, kEach>;
  constexpr int kTwo = 2;  // queries at a time
  const Attention<bf16>& a = b.forward;
  const Item item(G::number(), G::kCount, 1, a.keys, a.heads);
  if (!item.exists) return;
  const Sentence one(a, sentence_of(a.key_offsets, a.sentences, item.row));
  const Size j = item.row - one.first_key;
  typename G::Row k, v, dk, dv;
  k.load(a.k + item.row * a.k_stride + item.head * a.key_size, a.key_size);
  v.load(a.v + item.row * a.v_stride + item.head * a.value_size, a.value_size);
  // Begins with the first query that sees the key.
  for (Size first = a.causal ? max(Size{0}, j - one.keys + one.queries) : 0; first < one.queries; first += kTwo) {
    typename G::Raw q[kTwo], dout[kTwo], out[kTwo];
#pragma unroll
    for (int i = 0; i < kTwo; ++i) {
      const bool there = first + i < one.queries;
      const Size query = one.first_query + first + i, at = (query * a.heads + item.head) * a.value_size;
      q[i].load(there ? a.q + query * a.q_stride + item.head * a.key_size : nullptr, a.key_size);
      dout[i].load(there ? b.dout + at : nullptr, a.value_size);
      out[i].load(there ? a.out + at : nullptr, a.value_size);
    }
#pragma unroll
    for (int i = 0; i < kTwo; ++i) {
      if (first + i >= one.queries) continue;
      const Size query = one.first_query + first + i;
      typename G::Row dout_row;
#pragma unroll
      for (int e = 0; e < kEach; ++e) dout[i].unpack(e, dout_row.values[e]);
      const float q_k = G::sum(k.dot(q[i])), dout_v = G::sum(v.dot(dout[i])), dout_out = G::sum(dout_row.dot(out[i]));
      const float factor = drop.factor(first_dropped(a, query, item.head) + j);
      const Pair pair(a, q_k, a.log_sum[query * a.heads + item.head], factor, dout_v, dout_out);
      dk.add(pair.dscore, q[i]);
      dv.add(pair.kept, dout[i]);
    }
  }
  if (b.dk != nullptr) dk.store(b.dk + item.row * b.dk_stride + item.head * a.key_size, a.key_size, b.accumulate_dk);
  if (b.dv != nullptr)
    dv.store(b.dv + item.row * b.dv_stride + item.head * a.value_size, a.value_size, b.accumulate_dv);
}

// ---- launches ---------------------------------------------------------------------------------------------------

// The number of groups that share a query (split-K): limited by what fits on the GPU and by the number of keys.
int sharing(Size items, int lanes, Size longest) {
  int shared = 1;
  while (shared < 8 && 2 * shared * items * lanes <= Size{4} * kThreads * multiprocessors() && longest >= 4 * shared)
    shared *= 2;
  return shared;
}

template <class Arguments>
using Kernel = void (*)(Arguments, Drop, int);

template <class Arguments>
struct Kernels5 {
  Kernel<Arguments> of_32, of_64, of_128, of_256, of_512;
};

template <class Arguments>
void launch(const char* name, const Kernels5<Arguments>& kernels, const Arguments& arguments, const Attention<bf16>& a,
            Size rows, bool shares) {
  const Size size = std::max(a.key_size, a.value_size), items = rows * a.heads;
  if (items == 0) return;
  const int lanes = size <= 32 ? 4 : size <= 64 ? 8 : size <= 128 ? 16 : kWarp;
  const Kernel<Arguments> kernel = size <= 32    ? kernels.of_32
                                   : size <= 64  ? kernels.of_64
                                   : size <= 128 ? kernels.of_128
                                   : size <= 256 ? kernels.of_256
                                                 : kernels.of_512;
  const int shared = shares ? sharing(items, lanes, a.longest) : 1;
  launch_dependent(name, kernel, blocks_for(items * shared * lanes, kThreads), kThreads, arguments, Drop(a.dropout),
                   shared);
}

}  // namespace

void attention_rows(const Attention<bf16>& a) {
  constexpr Kernels5<Attention<bf16>> kernels{attend_rows<4, 1>, attend_rows<8, 1>, attend_rows<16, 1>,
                                              attend_rows<32, 1>, attend_rows<32, 2>};
  launch("attention", kernels, a, a, a.queries, true);
}

void attention_rows(const AttentionBackward<bf16>& b, bool wide_keys) {
  const Attention<bf16>& a = b.forward;
  constexpr Kernels5<AttentionBackward<bf16>> queries{query_gradients_of_rows<4, 1>, query_gradients_of_rows<8, 1>,
                                                      query_gradients_of_rows<16, 1>, query_gradients_of_rows<32, 1>,
                                                      query_gradients_of_rows<32, 2>};
  constexpr Kernels5<AttentionBackward<bf16>> keys{key_gradients_of_rows<4, 1>, key_gradients_of_rows<8, 1>,
                                                   key_gradients_of_rows<16, 1>, key_gradients_of_rows<32, 1>,
                                                   key_gradients_of_rows<32, 2>};
  if (b.dq != nullptr) launch("attention_backward", queries, b, a, a.queries, true);
  if ((b.dk == nullptr && b.dv == nullptr) || a.keys == 0) return;
  if (wide_keys)
    wide_key_gradients(b);
  else
    launch("attention_backward", keys, b, a, a.keys, false);
}

}  // namespace dragoman::kernels::cuda
