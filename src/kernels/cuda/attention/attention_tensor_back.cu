#include "kernels/cuda/attention/attention_tiles.cuh"

// Attention backward for heads of 64 on tensor cores, with blocks of four warps. The weights are recomputed in tiles of
// 64 queries and 64 keys.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 128;

// For each query of a tile: its log-sum times log2(e), and dout . out. Two threads compute one query. Queries beyond
// the last one get weight 0.
struct QueryNumbers {
  float log_sum[kTile], dout_out[kTile];

  __device__ void load(const AttentionBackward<bf16>& b, const Place& place, int first) {
    const Attention<bf16>& a = b.forward;
    const int i = static_cast<int>(threadIdx.x) / 2, half = static_cast<int>(threadIdx.x) % 2 * (kTile / 2);
    const bool inside = first + i < place.queries;
    // The log-sum of a query without keys is -inf and is never used.
    if (half == 0) log_sum[i] = inside ? a.log_sum[place.row(a, first + i)] * kLog2E : INFINITY;
    float sum = 0;
    if (inside) {
      const Size at = place.row(a, first + i) * kTile + half;
#pragma unroll
      for (int c = 0; c < kTile / 2; c += 8) {
        float dout[8], out[8];
        load8(b.dout + at + c, dout), load8(a.out + at + c, out);
        for (int e = 0; e < 8; ++e) sum += dout[e] * out[e];
      }
    }
    sum += __shfl_xor_sync(kAllLanes, sum, 1);
    if (half == 0) dout_out[i] = sum;
  }
};

// dk and dv of the tile of keys from `first` on, over all queries that see them. Each warp owns 16 keys, so the weights
// and their gradients are computed transposed: rows are keys, columns are queries.
template <bool kDrops>
__device__ void back_to_keys(const AttentionBackward<bf16>& b, const Drop& drop, int first, Tile* tiles,
                             QueryNumbers& numbers) {
  Tile &queries = tiles[0], &douts = tiles[1], &keys = tiles[2], &values = tiles[3];
  const Attention<bf16>& a = b.forward;
  const Place place(a);
  if (first >= place.keys) return;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarp * 16, l = lane();
  load_tile<kThreads>(keys, place.k(a, first), a.k_stride, place.keys - first);
  load_tile<kThreads>(values, place.v(a, first), a.v_stride, place.keys - first);
  const float scale = static_cast<float>(a.scale);
  const int key = first + warp_row + l / 4;  // the lane has this key and key + 8
  const bool idle = first + warp_row >= place.keys;
  Rows dk, dv;
  dk.clear(), dv.clear();
  // The first tile of queries that see any of these keys.
  const int begin = a.causal ? max(0, first - place.keys + place.queries) / kTile * kTile : 0;
  for (int query = begin; query < place.queries; query += kTile) {
    if (query > begin) __syncthreads();
    load_tile<kThreads>(queries, place.q(a, query), a.q_stride, place.queries - query);
    load_tile<kThreads>(douts, b.dout + place.row(a, query) * kTile, a.heads * kTile, place.queries - query);
    numbers.load(b, place, query);
    wait_for_tiles();
    if (idle) continue;
    Quad left[4];
    Rows p, ds;
    p.clear(), ds.clear();
    load_left(left, keys, warp_row);
    add_product<true>(p, left, queries);
    load_left(left, values, warp_row);
    add_product<true>(ds, left, douts);
#pragma unroll
    for (int n = 0; n < 8; ++n)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int column = 8 * n + l % 4 * 2 + e, i = query + column;
        const int visible = i < place.queries ? place.visible(i, a.causal) : 0;
        const float log_sum = numbers.log_sum[column], dout_out = numbers.dout_out[column];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          float &weight = p.part[n][2 * r + e], &gradient = ds.part[n][2 * r + e];
          const int j = key + 8 * r;
          weight = j < visible ? power_of_two(weight * (scale * kLog2E) - log_sum) : 0.0f;
          float factor = 1;
          if (kDrops && j < visible)
            factor = drop.factor(static_cast<std::uint64_t>(place.row(a, i) * Dropout::stride(a.longest) + j));
          gradient = scale * weight * (factor * gradient - dout_out);
          weight *= factor;
        }
      }
#pragma unroll
    for (int k = 0; k < 4; ++k) left[k] = p.as_left(k);
    add_product<false>(dv, left, douts);
#pragma unroll
    for (int k = 0; k < 4; ++k) left[k] = ds.as_left(k);
    add_product<false>(dk, left, queries);
  }
  if (begin >= place.queries) wait_for_tiles();
  __syncthreads();
  if (b.dk != nullptr)
    store_rows(dk, keys, warp_row, b.dk + (place.first_key + first) * b.dk_stride + place.head * kTile, b.dk_stride,
               place.keys - first, b.accumulate_dk);
  if (b.dv != nullptr)
    store_rows(dv, values, warp_row, b.dv + (place.first_key + first) * b.dv_stride + place.head * kTile, b.dv_stride,
               place.keys - first, b.accumulate_dv);
}

// dq of the tile of queries from `first` on, over all keys that they see.
template <bool kDrops>
__device__ void back_to_queries(const AttentionBackward<bf16>& b, const Drop& drop, int first, Tile* tiles,
                                QueryNumbers& numbers) {
  Tile &queries = tiles[0], &douts = tiles[1], &keys = tiles[2], &values = tiles[3];
  const Attention<bf16>& a = b.forward;
  const Place place(a);
  if (first >= place.queries) return;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarp * 16, l = lane();
  load_tile<kThreads>(queries, place.q(a, first), a.q_stride, place.queries - first);
  load_tile<kThreads>(douts, b.dout + place.row(a, first) * kTile, a.heads * kTile, place.queries - first);
  numbers.load(b, place, first);
  wait_for_tiles();
  Quad q[4], dout[4];
  load_left(q, queries, warp_row), load_left(dout, douts, warp_row);
  const int row = first + warp_row + l / 4;
  const int visible[2] = {place.visible(row, a.causal), place.visible(row + 8, a.causal)};
  const int last = place.visible(min(first + kTile, place.queries) - 1, a.causal);
  const float scale = static_cast<float>(a.scale);
  Rows dq;
  dq.clear();
  for (int key = 0; key < last; key += kTile) {
    __syncthreads();
    load_tile<kThreads>(keys, place.k(a, key), a.k_stride, place.keys - key);
    load_tile<kThreads>(values, place.v(a, key), a.v_stride, place.keys - key);
    wait_for_tiles();
    Rows p, ds;
    p.clear(), ds.clear();
    add_product<true>(p, q, keys);
    add_product<true>(ds, dout, values);
    if constexpr (kDrops) {
      const Kept kept(drop, a, place, row, key);
#pragma unroll
      for (int n = 0; n < 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) ds.part[n][e] *= kept.keeps(e / 2, n, e % 2) ? drop.scale : 0.0f;
    }
#pragma unroll
    for (int n = 0; n < 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int r = e / 2, i = warp_row + l / 4 + 8 * r;
        const bool seen = key + 8 * n + l % 4 * 2 + e % 2 < visible[r];
        const float weight = seen ? power_of_two(p.part[n][e] * (scale * kLog2E) - numbers.log_sum[i]) : 0.0f;
        ds.part[n][e] = scale * weight * (ds.part[n][e] - numbers.dout_out[i]);
      }
    Quad left[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) left[k] = ds.as_left(k);
    add_product<false>(dq, left, keys);
  }
  store_rows(dq, queries, warp_row, b.dq + (place.first_query + first) * b.dq_stride + place.head * kTile, b.dq_stride,
             place.queries - first, b.accumulate_dq);
}

// The first `key_tiles` blocks along x compute a tile of keys each, the others a tile of queries.
template <bool kDrops>
__global__ void __launch_bounds__(kThreads, 3) all_tiles(AttentionBackward<bf16> b, Drop drop, int key_tiles) {
  extern __shared__ Tile tiles[];
  __shared__ QueryNumbers numbers;
  const int tile = static_cast<int>(blockIdx.x);
  if (tile < key_tiles)
    back_to_keys<kDrops>(b, drop, tile * kTile, tiles, numbers);
  else
    back_to_queries<kDrops>(b, drop, (tile - key_tiles) * kTile, tiles, numbers);
}

// A warp's results for sixteen queries and their only tile of keys, as left operands of further products: weights after
// dropout, and the gradients of the scores.
struct Pairs {
  Quad weights[4], gradients[4];

  // Computes them from the scores and the gradients of the weights. `log_sum` is multiplied by log2(e), and inf for
  // queries without keys.
  template <bool kDrops>
  __device__ void set(Rows& s, Rows& dp, float scale, const float (&log_sum)[2], const Kept& kept, float drop_scale) {
    const auto factor = [&](int n, int e) { return kept.keeps(e / 2, n, e % 2) ? drop_scale : 0.0f; };
    float sum[2] = {0, 0};  // of a row's weights times their gradients: dout . out
#pragma unroll
    for (int n = 0; n < 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        s.part[n][e] = power_of_two(s.part[n][e] * (scale * kLog2E) - log_sum[e / 2]);
        if (kDrops) dp.part[n][e] *= factor(n, e);
        sum[e / 2] += s.part[n][e] * dp.part[n][e];
      }
#pragma unroll
    for (float& x : sum) x += __shfl_xor_sync(kAllLanes, x, 1), x += __shfl_xor_sync(kAllLanes, x, 2);
#pragma unroll
    for (int n = 0; n < 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        dp.part[n][e] = scale * s.part[n][e] * (dp.part[n][e] - sum[e / 2]);
        if (kDrops) s.part[n][e] *= factor(n, e);
      }
#pragma unroll
    for (int k = 0; k < 4; ++k) weights[k] = s.as_left(k), gradients[k] = dp.as_left(k);
  }
};

__device__ inline float log_sum_of(const Attention<bf16>& a, const Place& place, int i) {
  const float log_sum = i < place.queries ? a.log_sum[place.row(a, i)] * kLog2E : INFINITY;
  return log_sum == -INFINITY ? INFINITY : log_sum;
}

// Stores left operands of a warp to sixteen rows of a tile.
__device__ inline void put_left(const Quad (&from)[4], Tile& tile, int row) {
#pragma unroll
  for (int k = 0; k < 4; ++k)
#pragma unroll
    for (int r = 0; r < 4; ++r)
      *reinterpret_cast<std::uint32_t*>(tile.at(row + lane() / 4 + r % 2 * 8, 16 * k + r / 2 * 8 + lane() % 4 * 2)) =
          from[k].r[r];
}

// All gradients for sentences with at most one tile of keys, with one block per sentence and head. Each warp owns 16
// queries. The weights and the gradients of the scores are transposed through shared memory for the products that give
// dv and dk. With kMany, sentences may have more than one tile of queries.
template <bool kDrops, bool kMany>
__global__ void __launch_bounds__(kThreads, kMany ? 3 : 4 + !kDrops) single_tile(AttentionBackward<bf16> b, Drop drop) {
  extern __shared__ Tile tiles[];
  Tile &queries = tiles[0], &douts = tiles[1], &keys = tiles[2], &values = tiles[3];
  Tile &weights = kMany ? tiles[4] : values, &gradients = kMany ? tiles[5] : keys;
  const Attention<bf16>& a = b.forward;
  const Place place(a);
  const int warp_row = static_cast<int>(threadIdx.x) / kWarp * 16, l = lane();
  load_tile<kThreads>(keys, place.k(a, 0), a.k_stride, place.keys);
  load_tile<kThreads>(values, place.v(a, 0), a.v_stride, place.keys);
  Rows dk, dv;
  dk.clear(), dv.clear();
  for (int query = 0; query < place.queries; query += kTile) {
    if (query > 0) __syncthreads();
    load_tile<kThreads>(queries, place.q(a, query), a.q_stride, place.queries - query);
    load_tile<kThreads>(douts, b.dout + place.row(a, query) * kTile, a.heads * kTile, place.queries - query);
    const int row = query + warp_row + l / 4;  // the lane has this query and row + 8
    const float log_sum[2] = {log_sum_of(a, place, row), log_sum_of(a, place, row + 8)};
    wait_for_tiles();
    Quad left[4];
    Pairs pairs{};
    if (query + warp_row < place.queries) {
      Rows s, dp;
      s.clear(), dp.clear();
      load_left(left, queries, warp_row);
      add_product<true>(s, left, keys);
      load_left(left, douts, warp_row);
      add_product<true>(dp, left, values);
      // No mask is needed where the warp's first row, which sees the fewest keys, sees the whole tile.
      if (kTile > place.visible(query + warp_row, a.causal))
        RunningSoftmax<>::mask(s, {place.visible(row, a.causal), place.visible(row + 8, a.causal)});
      const Kept kept = kDrops ? Kept(drop, a, place, row, 0) : Kept();
      pairs.set<kDrops>(s, dp, static_cast<float>(a.scale), log_sum, kept, drop.scale);
    }
    __syncthreads();  // the values have been read
    put_left(pairs.weights, weights, warp_row);
    Rows dq;
    dq.clear();
    if (b.dq != nullptr) add_product<false>(dq, pairs.gradients, keys);
    __syncthreads();  // the weights are written, and the keys have been read
    if (b.dq != nullptr)
      store_rows(dq, gradients, warp_row, b.dq + (place.first_query + query) * b.dq_stride + place.head * kTile,
                 b.dq_stride, place.queries - query, b.accumulate_dq);
    __syncwarp();
    put_left(pairs.gradients, gradients, warp_row);
#pragma unroll
    for (int k = 0; k < 4; ++k) left[k] = left_operand_transposed(weights, warp_row, 16 * k);
    add_product<false>(dv, left, douts);
    __syncthreads();  // the gradients are written
#pragma unroll
    for (int k = 0; k < 4; ++k) left[k] = left_operand_transposed(gradients, warp_row, 16 * k);
    add_product<false>(dk, left, queries);
    if constexpr (!kMany) break;
  }
  if (place.queries == 0) wait_for_tiles();
  if (b.dv != nullptr)
    store_rows(dv, douts, warp_row, b.dv + place.first_key * b.dv_stride + place.head * kTile, b.dv_stride, place.keys,
               b.accumulate_dv);
  if (b.dk != nullptr)
    store_rows(dk, douts, warp_row, b.dk + place.first_key * b.dk_stride + place.head * kTile, b.dk_stride, place.keys,
               b.accumulate_dk);
}

template <class Kernel, class... More>
void launch(Kernel* kernel, int tiles, dim3 grid, const AttentionBackward<bf16>& b, More... more) {
  const int shared = tiles * static_cast<int>(sizeof(Tile));
  allow_shared("attention_backward", kernel, shared);
  kernel<<<grid, kThreads, shared, stream()>>>(b, Drop(b.forward.dropout), more...);
  check_launch("attention_backward");
}

template <bool kDrops>
void attend_back(const AttentionBackward<bf16>& b) {
  const Attention<bf16>& a = b.forward;
  dim3 grid = grid_of(a, 1);
  if (a.longest <= kTile && a.longest_queries <= kTile) return launch(single_tile<kDrops, false>, 4, grid, b);
  if (a.longest <= kTile) return launch(single_tile<kDrops, true>, 6, grid, b);
  const unsigned key_tiles = blocks_for(a.longest, kTile);
  grid.x = key_tiles + (b.dq != nullptr ? blocks_for(a.longest_queries, kTile) : 0);
  launch(all_tiles<kDrops>, 4, grid, b, static_cast<int>(key_tiles));
}

}  // namespace

void attention_tiles(const AttentionBackward<bf16>& b) {
  if (b.forward.queries == 0 && b.forward.keys == 0) return;
  if (b.forward.dropout.rate > 0)
    attend_back<true>(b);
  else
    attend_back<false>(b);
}

}  // namespace dragoman::kernels::cuda
