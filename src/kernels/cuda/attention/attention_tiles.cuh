#pragma once

#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/products/tiles.cuh"

// Parts shared by the tensor-core attention kernels for heads of 64.
namespace dragoman::kernels::cuda {

// The sentence and head of a block.
struct Place {
  Size first_query, first_key, head;
  int queries, keys;

  __device__ Place(const Attention<bf16>& a, Size sentence, Size head)
      : first_query(a.query_offsets[sentence]),
        first_key(a.key_offsets[sentence]),
        head(head),
        queries(static_cast<int>(a.query_offsets[sentence + 1] - first_query)),
        keys(static_cast<int>(a.key_offsets[sentence + 1] - first_key)) {}
  __device__ explicit Place(const Attention<bf16>& a) : Place(a, blockIdx.z, blockIdx.y) {}

  // The number of keys that query i sees.
  __device__ int visible(int i, bool causal) const { return causal ? max(0, keys - queries + i + 1) : keys; }

  __device__ const bf16* q(const Attention<bf16>& a, int i) const {
    return a.q + (first_query + i) * a.q_stride + head * kTile;
  }
  __device__ const bf16* k(const Attention<bf16>& a, int j) const {
    return a.k + (first_key + j) * a.k_stride + head * kTile;
  }
  __device__ const bf16* v(const Attention<bf16>& a, int j) const {
    return a.v + (first_key + j) * a.v_stride + head * kTile;
  }
  // The row of query i in out, dout and log_sum.
  __device__ Size row(const Attention<bf16>& a, int i) const { return (first_query + i) * a.heads + head; }
};

// The online softmax of a lane's two rows over tiles of kKeys keys. Weights are 2^(score - origin), not yet divided by
// their sum. The origin moves only when scores exceed it by kHeadroom, so most tiles need no rescaling of the
// accumulators.
template <int kKeys = kTile>
struct RunningSoftmax {
  static constexpr float kHeadroom = 8;    // update() keeps weights below 2^kHeadroom
  static constexpr float kMost = 0x1p60f;  // the largest sum that update_at_origin() accepts

  float scale;  // factor of the scores, times log2(e)
  float origin[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0, 0};  // of the weights in the lane's columns

  // Sets the scores of keys that a row does not see to -inf; `visible` is the number of keys that each row sees.
  __device__ static void mask(Rows& scores, const int (&visible)[2]) {
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (8 * n + lane() % 4 * 2 + e % 2 >= visible[e / 2]) scores.part[n][e] = -INFINITY;
  }

  // Turns the scores of a tile into weights. Returns true, in all lanes of a warp, where the origin has moved: the
  // caller must then multiply its accumulators by `shrink`.
  __device__ bool update(Rows& scores, float (&shrink)[2]) {
    float most[2] = {-INFINITY, -INFINITY};  // over the lane's columns
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) most[e / 2] = fmaxf(most[e / 2], scores.part[n][e]);
    const bool outgrown = scale * most[0] > origin[0] + kHeadroom || scale * most[1] > origin[1] + kHeadroom;
    const bool moves = __any_sync(kAllLanes, outgrown);
    if (moves) move_origin(most, shrink);
    weigh(scores);
    return moves;
  }

  // The same with the current origin, without computing the largest score. Returns false, in all lanes of a warp, where
  // weights become too large: the scores are then lost, and the caller must recompute them for update().
  __device__ bool update_at_origin(Rows& scores) {
    const float before[2] = {sum[0], sum[1]};
    weigh(scores);
    const bool fits = __all_sync(kAllLanes, sum[0] <= kMost && sum[1] <= kMost);
    if (!fits) sum[0] = before[0], sum[1] = before[1];
    return fits;
  }

  // Divides the lane's rows by their sums and stores the log-sums of existing rows. `row` is the lane's first row.
  __device__ void finish(Rows& out, const Attention<bf16>& a, const Place& place, int row) {
    float share[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum[r] += __shfl_xor_sync(kAllLanes, sum[r], 1);
      sum[r] += __shfl_xor_sync(kAllLanes, sum[r], 2);
      if (lane() % 4 == 0 && row + 8 * r < place.queries)
        a.log_sum[place.row(a, row + 8 * r)] = sum[r] > 0 ? origin[r] / kLog2E + logf(sum[r]) : -INFINITY;
      share[r] = sum[r] > 0 ? 1 / sum[r] : 0.0f;
    }
    out.multiply(share);
  }

 private:
  __device__ void weigh(Rows& scores) {
    float from[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) from[r] = origin[r] == -INFINITY ? 0.0f : origin[r];
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        float& score = scores.part[n][e];
        score = power_of_two(scale * score - from[e / 2]);
        sum[e / 2] += score;
      }
  }

  // Raises the origin of each row to its largest score; called by all lanes of a warp.
  __device__ void move_origin(const float (&most)[2], float (&shrink)[2]) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float largest = fmaxf(most[r], __shfl_xor_sync(kAllLanes, most[r], 1));
      largest = fmaxf(origin[r], scale * fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, 2)));
      shrink[r] = origin[r] == largest ? 1.0f : power_of_two(origin[r] - largest);
      origin[r] = largest;
      sum[r] *= shrink[r];
    }
  }
};

// Which of a lane's elements dropout keeps. Of 32 columns of a row of the dropout matrix, the lane has eight: two
// adjacent ones in each group of eight. `element` is the index of the first column; bit 2 w + e stands for the lane's
// element e in group w. The four lanes of a row must call it together.
__device__ inline unsigned kept_pairs(const Drop& drop, std::uint64_t element) {
  const int mine = lane() % 4, first = lane() - mine + mine % 2 * 2;
  const Philox::Block block = drop.key.block(element / Dropout::kGroup * 4 + mine, Dropout::kRounds);
  unsigned kept = 0;
#pragma unroll
  for (int w = 0; w < 4; ++w)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const std::uint32_t word = __shfl_sync(kAllLanes, block[w], first + e);
      const std::uint32_t half = mine < 2 ? word & 0xFFFFu : word >> 16;
      kept |= (half >= drop.threshold ? 1u : 0u) << (2 * w + e);
    }
  return kept;
}

// Which elements dropout keeps in a lane's two rows of 64 columns: sixteen bits per row.
struct Kept {
  unsigned rows[2];

  Kept() = default;
  __device__ Kept(const Drop& drop, const Attention<bf16>& a, const Place& place, int i, int first_key) {
    for (int r = 0; r < 2; ++r) {
      const auto start = static_cast<std::uint64_t>(place.row(a, i + 8 * r) * Dropout::stride(a.longest) + first_key);
      rows[r] = kept_pairs(drop, start);
      rows[r] |= kept_pairs(drop, start + 32) << 8;
    }
  }
  // Whether element e of the lane's two in the n-th group of eight columns is kept, in its row r.
  __device__ bool keeps(int r, int n, int e) const { return rows[r] >> (n / 4 * 8 + n % 4 * 2 + e) & 1; }
};

static_assert(kTile == kTileHead, "a tile is as wide as a head");

// One block per tile of `longest` rows, head and sentence.
inline dim3 grid_of(const Attention<bf16>& a, Size longest) {
  return {blocks_for(longest, kTile), static_cast<unsigned>(a.heads), static_cast<unsigned>(a.sentences)};
}

}  // namespace dragoman::kernels::cuda
