#pragma once

#include <cfloat>

#include "kernels/cuda/products/tiles.cuh"
#include "kernels/cuda/search/row_program.h"

// Attention inside a row program.
namespace dragoman::kernels::cuda::row_programs {

// The key ranges of a warp's four rows: lane i < 4 holds [first, end) of row i. Rows of one sentence share a range.
// Otherwise ranges are disjoint and increase with the row; there may be gaps between them.
struct Keys {
  static constexpr int kNone = 1 << 30;  // larger than any key

  int first = 0, end = 0;

  // The first key at or after `key` that any of the rows attends to.
  __device__ int next(int key) const {
    const int from = max(key, first);
    return __reduce_min_sync(kAllLanes, from < end ? from : kNone);
  }
  // The row of a key in k and v; keys past the end give the row of the last key.
  __device__ int find(const std::int32_t* rows, int key) const {
    const int there = max(0, min(key, __reduce_max_sync(kAllLanes, end) - 1));
    return rows != nullptr ? rows[there] : there;
  }
};

// Attention of a warp's four rows: an online softmax over blocks of 16 keys. The next block is prefetched into
// registers while this one is processed. The tensor core instruction (mma.m16n8k16) takes 16 keys, or 16 elements of
// the values, as its left operand and 8 rows as its right operand; only the first four rows are used. Keys of other
// rows are masked. The elements of a head are permuted so that each lane loads 16 bytes at once: in each half of a
// head, lane % 4 selects 8 adjacent elements of q and k, and lane / 4 selects 8 adjacent elements of v.
class RowAttention {
 public:
  static constexpr int kRowsOfWarp = 4, kKeys = 16;

  __device__ RowAttention(const AttentionPart& a, const std::int32_t* key_rows, int head)
      : a_(a), key_rows_(key_rows), column_(head * kTile) {}

  // `row` is the warp's first row, `rows` the number of all rows; `first_key_rows` holds the rows of the first 32 keys,
  // one per lane. Afterwards result(i) is that of row lane % 4 * 2 + i.
  __device__ void attend(const Keys& keys, int first_key_rows, int row, int rows) {
    const int mine = row + lane() / 4;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      q_[h] = make_uint4(0, 0, 0, 0);
      if (lane() / 4 < kRowsOfWarp && mine < rows)
        q_[h] = *reinterpret_cast<const uint4*>(a_.q + Size{mine} * a_.q_stride + column_ + 32 * h + lane() % 4 * 8);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      first_[i] = __shfl_sync(kAllLanes, keys.first, lane() % 4 * 2 + i);
      end_[i] = __shfl_sync(kAllLanes, keys.end, lane() % 4 * 2 + i);
    }
    int now = keys.next(0), next = keys.next(now + kKeys);
    int key_row = __shfl_sync(kAllLanes, first_key_rows, lane() % kKeys);
    uint4 k[2][2], v[4];
    load_keys(k, key_row), load_values(v, key_row);
    key_row = next == now + kKeys ? __shfl_sync(kAllLanes, first_key_rows, kKeys + lane() % kKeys)
                                  : keys.find(key_rows_, next + lane() % kKeys);
    while (now != Keys::kNone) {
      const int after = keys.next(next + kKeys);
      float weights[4] = {};
      compare(weights, k);
      load_keys(k, key_row);
      weigh(weights, now);
      add(weights, v);
      load_values(v, key_row);
      key_row = keys.find(key_rows_, after + lane() % kKeys);
      now = next, next = after;
    }
#pragma unroll
    for (float& sum : sum_)
#pragma unroll
      for (int apart = 4; apart < kWarp; apart *= 2) sum += __shfl_xor_sync(kAllLanes, sum, apart);
  }

  // The normalised output of the head: elements lane / 4 * 8 to lane / 4 * 8 + 7.
  __device__ uint4 result(int i) const {
    const float share = sum_[i] > 0 ? 1 / sum_[i] : 0.0f;
    float of[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) of[j] = out_[j / 2][j % 2 * 2 + i] * share;
    return pack8(of);
  }
  __device__ float log_sum(int i) const { return sum_[i] > 0 ? largest_[i] + logf(sum_[i]) : -INFINITY; }

 private:
  // Loads of a lane's part of 16 keys and values. `key_row` is the row of key lane % 16.
  __device__ const uint4* find_head(const bf16* x, int stride, int key_row, int from, int first) const {
    const Size row = __shfl_sync(kAllLanes, key_row, from);
    return reinterpret_cast<const uint4*>(x + row * stride + column_ + first);
  }
  __device__ void load_keys(uint4 (&k)[2][2], int key_row) const {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const uint4* key = find_head(a_.k, a_.k_stride, key_row, 8 * j + lane() / 4, lane() % 4 * 8);
      k[j][0] = key[0], k[j][1] = key[4];
    }
  }
  __device__ void load_values(uint4 (&v)[4], int key_row) const {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      v[i] = *find_head(a_.v, a_.v_stride, key_row, lane() % 4 * 2 + i % 2 + i / 2 * 8, lane() / 4 * 8);
  }

  // weights[e] += the score of key lane / 4 + e / 2 * 8 for row e % 2 of the lane.
  __device__ void compare(float (&weights)[4], const uint4 (&k)[2][2]) const {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      multiply_add(weights, {{k[0][h].x, k[1][h].x, k[0][h].y, k[1][h].y}}, q_[h].x, q_[h].y);
      multiply_add(weights, {{k[0][h].z, k[1][h].z, k[0][h].w, k[1][h].w}}, q_[h].z, q_[h].w);
    }
  }
  // Turns scores into unnormalised weights and rescales the accumulators to the new maximum; `begin` is the first key.
  __device__ void weigh(float (&weights)[4], int begin) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int key = begin + lane() / 4 + e / 2 * 8;
      weights[e] = key >= first_[e % 2] && key < end_[e % 2] ? a_.scale * weights[e] : -INFINITY;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      float most = fmaxf(weights[i], weights[2 + i]);
#pragma unroll
      for (int apart = 4; apart < kWarp; apart *= 2) most = fmaxf(most, __shfl_xor_sync(kAllLanes, most, apart));
      most = fmaxf(most, largest_[i]);
      const float shrink = __expf(largest_[i] - most);
      largest_[i] = most;
      weights[i] = __expf(weights[i] - most), weights[2 + i] = __expf(weights[2 + i] - most);
      sum_[i] = sum_[i] * shrink + (weights[i] + weights[2 + i]);
#pragma unroll
      for (auto& one : out_) one[i] *= shrink, one[2 + i] *= shrink;
    }
  }
  __device__ void add(const float (&weights)[4], const uint4 (&v)[4]) {
    const std::uint32_t low = transposed(pack_bf16(weights[0], weights[1])),
                        high = transposed(pack_bf16(weights[2], weights[3]));
#pragma unroll
    for (int m = 0; m < 4; ++m)
      multiply_add(out_[m],
                   {{pair(v[0], v[1], 2 * m), pair(v[0], v[1], 2 * m + 1), pair(v[2], v[3], 2 * m),
                     pair(v[2], v[3], 2 * m + 1)}},
                   low, high);
  }
  // Element j of a and element j of b in one register.
  __device__ static std::uint32_t pair(const uint4& a, const uint4& b, int j) {
    return __byte_perm(word(a, j), word(b, j), j % 2 == 0 ? 0x5410 : 0x7632);
  }
  __device__ static std::uint32_t word(const uint4& x, int j) {
    return j / 2 == 0 ? x.x : j / 2 == 1 ? x.y : j / 2 == 2 ? x.z : x.w;
  }

  const AttentionPart& a_;
  const std::int32_t* key_rows_;
  const int column_;
  uint4 q_[2];
  // State of the lane's two rows.
  int first_[2], end_[2];
  float largest_[2] = {-FLT_MAX, -FLT_MAX}, sum_[2] = {};
  float out_[4][4] = {};  // out_[m][e]: element 2 m + e / 2 of the lane's eight, row e % 2
};

}  // namespace dragoman::kernels::cuda::row_programs
