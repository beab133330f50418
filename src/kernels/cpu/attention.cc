#include <cmath>

#include "kernels/cpu/cpu.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

class Forward {
 public:
  Forward(const Head& head, float* weights) : head_(head), a_(head.a), weights_(weights), factors_(a_.dropout) {
    // Transposing the keys and copying the values costs as much as a few queries.
    packed_ = head.queries >= kFew;
    const Size keys = packed_ ? a_.key_size * head.stride() : 0, scores = head.block() * head.stride();
    const Size values = packed_ ? a_.value_size * head.keys : 0;
    const Size gathered = packed_ && a_.key_rows ? a_.key_size * head.keys : 0;
    keys_transposed_ = scratch(Scratch::piece, keys + values + scores + Dropout::stride(head.keys) + gathered);
    values_ = keys_transposed_ + keys;
    scores_ = values_ + values;
    kept_ = scores_ + scores;
    gathered_ = kept_ + Dropout::stride(head.keys);
  }

  void run() const {
    if (packed_) pack();
    for (Size begin = 0; begin < head_.queries; begin += head_.block())
      block(begin, std::min(begin + head_.block(), head_.queries));
  }

 private:
  static constexpr Size kFew = 4;

  void pack() const {
    const float* keys = head_.k();
    Size stride = a_.k_stride;
    if (a_.key_rows) {
      for (Size j = 0; j < head_.keys; ++j) std::copy_n(head_.k(j), a_.key_size, gathered_ + j * a_.key_size);
      for (Size j = 0; j < head_.keys; ++j) std::copy_n(head_.v(j), a_.value_size, values_ + j * a_.value_size);
      keys = gathered_, stride = a_.key_size;
    } else {
      copy_rows(head_.keys, a_.value_size, head_.v(), a_.v_stride, values_);
    }
    transpose(head_.keys, a_.key_size, keys, stride, static_cast<float>(a_.scale), keys_transposed_, head_.stride());
  }

  void block(Size begin, Size end) const {
    const Size visible = head_.visible(end - 1);
    score(begin, end, visible);
    for (Size i = begin; i < end; ++i) softmax(i, scores_ + (i - begin) * head_.stride(), visible);
    if (a_.key_rows && !packed_) {
      for (Size i = begin; i < end; ++i)
        mix_scattered(scores_ + (i - begin) * head_.stride(), head_.visible(i),
                      a_.out + head_.state(i) * a_.value_size);
      return;
    }
    MatrixProduct mix{.m = end - begin, .n = a_.value_size, .k = visible, .a = scores_, .a_stride = head_.stride()};
    mix.b = packed_ ? values_ : head_.v(), mix.b_stride = packed_ ? a_.value_size : a_.v_stride;
    mix.c = a_.out + head_.state(begin) * a_.value_size, mix.c_stride = head_.out_stride();
    multiply_tiles<false>(mix);
  }

  void score(Size begin, Size end, Size visible) const {
    if (packed_) {
      MatrixProduct match{.m = end - begin, .n = round_up(visible, kLanes), .k = a_.key_size, .a = head_.q(begin)};
      match.a_stride = a_.q_stride;
      match.b = keys_transposed_, match.b_stride = head_.stride();
      match.c = scores_, match.c_stride = head_.stride();
      return multiply_tiles<false>(match);
    }
    for (Size i = begin; i < end; ++i)
      for (Size j = 0; j < visible; ++j)
        scores_[(i - begin) * head_.stride() + j] =
            static_cast<float>(a_.scale) * dot_row(a_.key_size, head_.q(i), head_.k(j));
  }

  // out = the weighted sum of the visible values, whose rows are scattered.
  void mix_scattered(const float* weights, Size visible, float* out) const {
    Size d = 0;
    for (; d + kTileCols <= a_.value_size; d += kTileCols) {
      V sums[kTileVectors];
      for (V& sum : sums) sum = hn::Zero(kTag);
      for (Size j = 0; j < visible; ++j) {
        const float* value = head_.v(j) + d;
        const V weight = hn::Set(kTag, weights[j]);
        for (int v = 0; v < kTileVectors; ++v) sums[v] = hn::MulAdd(weight, Whole::load(value + v * kLanes), sums[v]);
      }
      for (int v = 0; v < kTileVectors; ++v) Whole::store(sums[v], out + d + v * kLanes);
    }
    each_vector(d, a_.value_size, [&](Size c, auto lanes) HWY_ATTR {
      V sum = hn::Zero(kTag);
      for (Size j = 0; j < visible; ++j) sum = hn::MulAdd(hn::Set(kTag, weights[j]), lanes.load(head_.v(j) + c), sum);
      lanes.store(sum, out + c);
    });
  }

  // Turns the scores of query i into attention weights after dropout, padded with zeros up to `end`.
  void softmax(Size i, float* scores, Size end) const {
    const Size visible = head_.visible(i);
    float& log_sum = a_.log_sum[head_.state(i)];
    log_sum = -std::numeric_limits<float>::infinity();
    if (visible > 0) {
      const Size whole = pad_row(scores, visible);
      const float largest = row_max(whole, scores);
      const float sum = exp_row(whole, scores, largest, scores);
      log_sum = largest + std::log(sum);
      scale_row(whole, 1 / sum, scores);
    }
    std::fill(scores + visible, scores + std::max(visible, end), 0.0f);
    if (weights_) {
      float* row = weights_ + i * head_.keys;
      std::copy_n(scores, visible, row);
      std::fill(row + visible, row + head_.keys, 0.0f);
    }
    if (a_.dropout.rate != 0) {
      factors_.write(head_.state(i), a_.longest, visible, kept_);
      for (Size j = 0; j < visible; j += kLanes)
        Whole::store(hn::Mul(Whole::load(scores + j), Whole::load(kept_ + j)), scores + j);
    }
  }

  const Head& head_;
  const Attention<float>& a_;
  float* weights_;  // [queries, keys], or null
  Factors factors_;
  bool packed_;             // keys are transposed and values contiguous
  float* keys_transposed_;  // [key_size, stride]: the scaled keys, transposed
  float* values_;           // [keys, value_size]: a contiguous copy of the values, if packed
  float* scores_;           // [block, stride]
  float* kept_;             // dropout factors of a row
  float* gathered_;         // [keys, key_size]: a contiguous copy of scattered keys, if packed
};

void attention(const Attention<float>& a) {
  each_head(a, [&](Size sentence, Size which) {
    const Head head(a, sentence, which);
    float* weights = a.weights;
    if (weights) {
      for (Size s = 0; s < sentence; ++s) weights += a.heads * Head(a, s, 0).queries * Head(a, s, 0).keys;
      weights += which * head.queries * head.keys;
    }
    Forward(head, weights).run();
  });
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(attention);

void fill_attention(Kernels<float>& kernels) {
  kernels.attention = [](const auto& a) { HWY_DYNAMIC_DISPATCH(attention)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
