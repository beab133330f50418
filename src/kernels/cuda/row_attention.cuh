#pragma once

#include <cfloat>

#include "kernels/cuda/row_program.h"
#include "kernels/cuda/tiles.cuh"

// Attention as a row program does it.
namespace dragoman::kernels::cuda::row_programs {

// Which keys a row attends to.
struct Keys {
  int first = 0, count = 0;
};

// Attention of a warp's four rows, sixteen keys at a time, while the next ones come. Matrix instructions have sixteen
// rows on the left: the first four are the warp's. Rows of one sentence are done together; where each has keys of its
// own, one after the other, and the others' scores do not count. Numbers are taken in another order: of each half of a
// head, lane % 4 has eight in a row where keys are compared with queries, and lane / 4 eight in a row of the values.
class RowAttention {
 public:
  static constexpr int kRowsOfWarp = 4, kKeys = 16;

  // Lane i < 4 knows the keys of row i.
  __device__ RowAttention(const AttentionPart& a, int head, const Keys& keys)
      : a_(a), column_(head * kTile), keys_(keys) {
    const int first = __shfl_up_sync(kAllLanes, keys.first, 1), count = __shfl_up_sync(kAllLanes, keys.count, 1);
    const bool same = lane() > 0 && first == keys.first && count == keys.count;
    leaders_ = __ballot_sync(kAllLanes, lane() < kRowsOfWarp && keys.count > 0 && !same);
    mine_ = keys_of(lane() / 4 % kRowsOfWarp);
    if (lane() / 4 >= kRowsOfWarp) mine_.count = 0;
  }

  // `row` is the first of the warp's rows, of `rows`. Afterwards lane l < 16 has of row l / 4 the mean of the values:
  // of the sixteen numbers from l % 4 * 16 on, of each eight the j-th in out[j].
  __device__ void attend(int row, int rows) {
    const int mine = row + lane() / 4;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      q_[h] = make_uint4(0, 0, 0, 0);
      if (lane() / 4 < kRowsOfWarp && mine < rows)
        q_[h] = *reinterpret_cast<const uint4*>(a_.q + Size{mine} * a_.q_stride + column_ + 32 * h + lane() % 4 * 8);
    }
    Stretch now{leaders_, 0}, next = now;
    int row_now = find(now);
    FewKeys k = load_keys(now, row_now);
    advance(next);
    int row_next = find(next);
    while (now.leaders != 0) {
      const FewValues v = load_values(row_now);
      const FewKeys coming = load_keys(next, row_next);
      Stretch after = next;
      advance(after);
      row_now = row_next;
      row_next = find(after);
      add(k, v, now);
      k = coming;
      now = next, next = after;
    }
    float sum = sum_ + __shfl_xor_sync(kAllLanes, sum_, 1);
    sum += __shfl_xor_sync(kAllLanes, sum, 2);
    const float share = sum > 0 ? 1 / sum : 0.0f;
#pragma unroll
    for (auto& one : out) one[0] *= share, one[1] *= share;
    log_sum = sum > 0 ? largest_ + logf(sum) : -INFINITY;
  }

  float out[8][4] = {};
  float log_sum = 0;

 private:
  // Keys of the first of `leaders`, rows that stand for those with the same keys, from `begin` on.
  struct Stretch {
    unsigned leaders;
    int begin;

    __device__ int leader() const { return leaders != 0 ? __ffs(static_cast<int>(leaders)) - 1 : 0; }
  };
  struct FewKeys {
    uint4 eights[2][2];
  };
  struct FewValues {
    uint4 eights[4];
  };

  __device__ Keys keys_of(int row) const {
    return {__shfl_sync(kAllLanes, keys_.first, row), __shfl_sync(kAllLanes, keys_.count, row)};
  }
  __device__ void advance(Stretch& at) const {
    at.begin += kKeys;
    if (at.begin < keys_of(at.leader()).count) return;
    at.leaders &= at.leaders - 1;
    at.begin = 0;
  }
  // Where a lane's key of those from there on lies; the last one's place for those behind it.
  __device__ int find(const Stretch& at) const {
    const Keys keys = keys_of(at.leader());
    if (at.leaders == 0) return 0;
    const int key = keys.first + min(at.begin + lane() % kKeys, keys.count - 1);
    return a_.key_rows != nullptr ? a_.key_rows[key] : key;
  }
  // `row`: as found.
  __device__ FewKeys load_keys(const Stretch& at, int row) const {
    FewKeys keys;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const Size from = __shfl_sync(kAllLanes, row, 8 * j + lane() / 4);
      if (at.leaders == 0) continue;
#pragma unroll
      for (int h = 0; h < 2; ++h)
        keys.eights[j][h] =
            *reinterpret_cast<const uint4*>(a_.k + from * a_.k_stride + column_ + lane() % 4 * 8 + 32 * h);
    }
    return keys;
  }
  __device__ FewValues load_values(int row) const {
    FewValues values;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Size from = __shfl_sync(kAllLanes, row, lane() % 4 * 2 + i % 2 + i / 2 * 8);
      values.eights[i] = *reinterpret_cast<const uint4*>(a_.v + from * a_.v_stride + column_ + lane() / 4 * 8);
    }
    return values;
  }

  __device__ void add(const FewKeys& few, const FewValues& values, const Stretch& at) {
    const Keys keys = keys_of(at.leader());
    const bool joins = mine_.first == keys.first && mine_.count == keys.count;
    const int count = joins ? keys.count - at.begin : 0;
    float weights[2][4] = {};
    float most = largest_;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const uint4 &q = q_[h], &k = few.eights[j][h];
        multiply_add(weights[j], {{q.x, 0, q.y, 0}}, k.x, k.y);
        multiply_add(weights[j], {{q.z, 0, q.w, 0}}, k.z, k.w);
      }
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        weights[j][e] = 8 * j + lane() % 4 * 2 + e < count ? a_.scale * weights[j][e] : -INFINITY;
        most = fmaxf(most, weights[j][e]);
      }
    }
    most = fmaxf(most, __shfl_xor_sync(kAllLanes, most, 1));
    most = fmaxf(most, __shfl_xor_sync(kAllLanes, most, 2));
    const float shrink = __expf(largest_ - most);
    largest_ = most;
    sum_ *= shrink;
#pragma unroll
    for (auto& one : out) one[0] *= shrink, one[1] *= shrink;
#pragma unroll
    for (auto& one : weights)
#pragma unroll
      for (int e = 0; e < 2; ++e) sum_ += one[e] = __expf(one[e] - most);
    const Quad left{{pack_bf16(weights[0][0], weights[0][1]), 0, pack_bf16(weights[1][0], weights[1][1]), 0}};
    const uint4(&v)[4] = values.eights;
#pragma unroll
    for (int j = 0; j < 8; ++j)
      multiply_add(out[j], left, pair(word(v[0], j), word(v[1], j), j), pair(word(v[2], j), word(v[3], j), j));
  }
  __device__ static std::uint32_t word(const uint4& x, int j) {
    return j / 2 == 0 ? x.x : j / 2 == 1 ? x.y : j / 2 == 2 ? x.z : x.w;
  }
  // The upper or the lower halves of two words.
  __device__ static std::uint32_t pair(std::uint32_t a, std::uint32_t b, int j) {
    return __byte_perm(a, b, j % 2 == 0 ? 0x5410 : 0x7632);
  }

  const AttentionPart& a_;
  const int column_;
  const Keys keys_;
  Keys mine_;
  unsigned leaders_;
  uint4 q_[2];
  float largest_ = -FLT_MAX, sum_ = 0;
};

}  // namespace dragoman::kernels::cuda::row_programs
