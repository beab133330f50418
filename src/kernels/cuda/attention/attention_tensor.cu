#include "kernels/cuda/attention/attention_tiles.cuh"

// Attention forward for heads of 64 on tensor cores. A block of four warps computes 64 queries, 64 keys at a time, with
// an online softmax; scores and weights stay in registers (FlashAttention, Dao et al. 2022).
namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 128;

// Shared memory holds a tile of queries and one or two pairs of tiles of keys and values. With kMany, sentences may
// have more than one tile of keys, and the next pair is loaded while this one is processed (double buffering).
// Otherwise no sentence has more than kKeys keys, and only the first kKeys of a tile are processed.
template <bool kDrops, int kKeys, bool kMany>
__global__ void __launch_bounds__(kThreads, kMany ? 4 : 6) attend_tiles(Attention<bf16> a, Drop drop) {
  extern __shared__ Tile tiles[];
  Tile& queries = tiles[0];
  const Place place(a);
  const int first = static_cast<int>(blockIdx.x) * kTile;
  if (first >= place.queries) return;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarp * 16;
  const int row = first + warp_row + lane() / 4;  // the lane has this row and row + 8
  load_tile<kThreads>(queries, place.q(a, first), a.q_stride, place.queries - first);

  const int last = place.visible(min(first + kTile, place.queries) - 1, a.causal);
  const bool idle = first + warp_row >= place.queries;
  RunningSoftmax<kKeys> softmax{static_cast<float>(a.scale) * kLog2E};
  Quad q[4];
  Rows out;
  out.clear();
  const auto fetch = [&](int key) {
    Tile* pair = tiles + 1 + key / kTile % 2 * 2;
    load_tile<kThreads, kKeys>(pair[0], place.k(a, key), a.k_stride, place.keys - key);
    load_tile<kThreads, kKeys>(pair[1], place.v(a, key), a.v_stride, place.keys - key);
    commit_copies();
  };
  if (last > 0) fetch(0);
  for (int key = 0; key < last; key += kTile) {
    if (kMany && key + kTile < last) {
      fetch(key + kTile);
      wait_for_older_tiles();
    } else {
      wait_for_tiles();
    }
    Tile &keys = tiles[1 + key / kTile % 2 * 2], &values = tiles[2 + key / kTile % 2 * 2];
    if (idle) {
      if constexpr (!kMany) break;
      __syncthreads();
      continue;
    }
    if (key == 0) load_left(q, queries, warp_row);
    Rows s;
    s.clear();
    add_product<true, 4, kKeys / 16>(s, q, keys);
    // No mask is needed where the warp's first row, which sees the fewest keys, sees the whole tile.
    if (key + kKeys > place.visible(first + warp_row, a.causal))
      softmax.mask(s, {place.visible(row, a.causal) - key, place.visible(row + 8, a.causal) - key});
    float shrink[2];
    if (softmax.update(s, shrink)) out.multiply(shrink);
    if constexpr (kDrops) {
      const Kept kept(drop, a, place, row, key);
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) s.part[n][e] = kept.keeps(e / 2, n, e % 2) ? s.part[n][e] * drop.scale : 0.0f;
    }
    Quad p[4];
#pragma unroll
    for (int k = 0; k < kKeys / 16; ++k) p[k] = s.as_left(k);
    add_product<false, kKeys / 16>(out, p, values);
    if constexpr (!kMany) break;
    __syncthreads();
  }
  if (last == 0) wait_for_tiles();
  softmax.finish(out, a, place, row);
  store_rows(out, queries, warp_row, a.out + place.row(a, first) * kTile, a.heads * kTile, place.queries - first,
             false);
}

template <bool kDrops>
void attend(const Attention<bf16>& a) {
  const auto kernel = a.longest <= kTile / 2 ? attend_tiles<kDrops, kTile / 2, false>
                      : a.longest <= kTile   ? attend_tiles<kDrops, kTile, false>
                                             : attend_tiles<kDrops, kTile, true>;
  const std::size_t shared = (a.longest <= kTile ? 3 : 5) * sizeof(Tile);
  kernel<<<grid_of(a, a.longest_queries), kThreads, shared, stream()>>>(a, Drop(a.dropout));
  check_launch("attention");
}

}  // namespace

void attention_tiles(const Attention<bf16>& a) {
  if (a.dropout.rate > 0)
    attend<true>(a);
  else
    attend<false>(a);
}

}  // namespace dragoman::kernels::cuda
