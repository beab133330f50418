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

// Turns scores into attention weights.
class Softmax {
 public:
  // `weights` ([queries, keys]) receives them, unless it is null; `kept` has room for the dropout factors of a row.
  Softmax(const Head& head, float* weights, float* kept)
      : head_(head), a_(head.a), weights_(weights), kept_(kept), factors_(a_.dropout) {}

  // The scores of query i become weights after dropout, padded with zeros up to `end`.
  void apply(Size i, float* scores, Size end) const {
    const Size visible = head_.visible(i);
    float log_sum = -std::numeric_limits<float>::infinity();
    if (visible > 0) {
      const Size whole = pad_row(scores, visible);
      const float largest = row_max(whole, scores);
      const float sum = exp_row(whole, scores, largest, scores);
      if (a_.log_sum) log_sum = largest + std::log(sum);
      scale_row(whole, 1 / sum, scores);
    }
    if (a_.log_sum) a_.log_sum[head_.state(i)] = log_sum;
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

 private:
  const Head& head_;
  const Attention<float>& a_;
  float* weights_;
  float* kept_;
  Factors factors_;
};

// Widens bf16.
HWY_INLINE void copy_row(Size count, const bf16* from, float* to) {
  each_vector(0, count, [=](Size c, auto lanes) HWY_ATTR { lanes.store(lanes.load(from + c), to + c); });
}
HWY_INLINE void copy_row(Size count, const float* from, float* to) { std::copy_n(from, count, to); }

// One head of a sentence with many queries: products of matrices. E is the type of keys and values.
template <class E>
class ManyQueries {
 public:
  ManyQueries(const Head& head, float* weights) : head_(head), a_(head.a) {
    const Size keys = a_.key_size * head.stride(), values = a_.value_size * head.keys;
    const Size scores = head.block() * head.stride(), gathered = gathers() ? a_.key_size * head.keys : 0;
    keys_transposed_ = scratch(Scratch::piece, keys + values + scores + Dropout::stride(head.keys) + gathered);
    values_ = keys_transposed_ + keys;
    scores_ = values_ + values;
    kept_ = scores_ + scores;
    gathered_ = kept_ + Dropout::stride(head.keys);
    weights_ = weights;
  }

  void run() const {
    pack();
    for (Size begin = 0; begin < head_.queries; begin += head_.block())
      block(begin, std::min(begin + head_.block(), head_.queries));
  }

 private:
  // Whether the keys are not rows of floats at equal distances.
  bool gathers() const { return a_.key_rows || std::is_same_v<E, bf16>; }

  void pack() const {
    const float* keys = gathers() ? gathered_ : head_.k();
    const Size stride = gathers() ? a_.key_size : a_.k_stride;
    for (Size j = 0; gathers() && j < head_.keys; ++j)
      copy_row(a_.key_size, head_.template k<E>(j), gathered_ + j * a_.key_size);
    for (Size j = 0; j < head_.keys; ++j) copy_row(a_.value_size, head_.template v<E>(j), values_ + j * a_.value_size);
    transpose(head_.keys, a_.key_size, keys, stride, static_cast<float>(a_.scale), keys_transposed_, head_.stride());
  }

  void block(Size begin, Size end) const {
    const Size visible = head_.visible(end - 1);
    MatrixProduct match{.m = end - begin, .n = round_up(visible, kLanes), .k = a_.key_size, .a = head_.q(begin)};
    match.a_stride = a_.q_stride;
    match.b = keys_transposed_, match.b_stride = head_.stride();
    match.c = scores_, match.c_stride = head_.stride();
    multiply_tiles<false>(match);
    const Softmax softmax(head_, weights_, kept_);
    for (Size i = begin; i < end; ++i) softmax.apply(i, scores_ + (i - begin) * head_.stride(), visible);
    MatrixProduct mix{.m = end - begin, .n = a_.value_size, .k = visible, .a = scores_, .a_stride = head_.stride()};
    mix.b = values_, mix.b_stride = a_.value_size;
    mix.c = a_.out + head_.state(begin) * a_.value_size, mix.c_stride = head_.out_stride();
    multiply_tiles<false>(mix);
  }

  const Head& head_;
  const Attention<float>& a_;
  float* weights_;          // [queries, keys], or null
  float* keys_transposed_;  // [key_size, stride]: the scaled keys, transposed
  float* values_;           // [keys, value_size]: a contiguous copy of the values
  float* scores_;           // [block, stride]
  float* kept_;             // dropout factors of a row
  float* gathered_;         // [keys, key_size]: a contiguous copy of the keys, if it is needed
};

// Several heads of a sentence with few queries, as a decoder has them: rows of keys and values are read once per query,
// from their beginning to their end, since reading them takes most of the time. E is the type of keys and values.
template <class E>
class FewQueries {
 public:
  FewQueries(const Head& first, Size heads, float* weights)
      : first_(first), a_(first.a), heads_(heads), weights_(weights) {
    scores_ = scratch(Scratch::piece, heads * first.stride() + Dropout::stride(first.keys));
    kept_ = scores_ + heads * first.stride();
  }

  void run() const {
    for (Size i = 0; i < first_.queries; ++i) {
      const Size visible = first_.visible(i);
      for (Size j = 0; j < visible; ++j) score(i, j);
      for (Size h = 0; h < heads_; ++h) {
        Head head = first_;
        head.head += h;
        Softmax(head, weights_ ? weights_ + h * head.queries * head.keys : nullptr, kept_)
            .apply(i, weights_of(h), visible);
      }
      float* out = a_.out + first_.state(i) * a_.value_size;
      std::fill_n(out, heads_ * a_.value_size, 0.0f);
      Size j = 0;
      for (; j + 4 <= visible; j += 4) add_values<4>(j, out);
      for (; j < visible; ++j) add_values<1>(j, out);
    }
  }

 private:
  float* weights_of(Size h) const { return scores_ + h * first_.stride(); }

  void score(Size i, Size j) const {
    const float* query = first_.q(i);
    const E* key = first_.template k<E>(j);
    for (Size h = 0; h < heads_; ++h, query += a_.key_size, key += a_.key_size)
      weights_of(h)[j] = static_cast<float>(a_.scale) * dot_row(a_.key_size, query, key);
  }

  // Adds the weighted values of kRows keys from j on.
  template <int kRows>
  void add_values(Size j, float* out) const {
    const E* values[kRows];
    for (int r = 0; r < kRows; ++r) values[r] = first_.template v<E>(j + r);
    for (Size h = 0; h < heads_; ++h, out += a_.value_size) {
      V weights[kRows];
      for (int r = 0; r < kRows; ++r) weights[r] = hn::Set(kTag, weights_of(h)[j + r]);
      each_vector(0, a_.value_size, [&](Size c, auto lanes) HWY_ATTR {
        V sum = lanes.load(out + c);
        for (int r = 0; r < kRows; ++r) sum = hn::MulAdd(weights[r], lanes.load(values[r] + c), sum);
        lanes.store(sum, out + c);
      });
      for (int r = 0; r < kRows; ++r) values[r] += a_.value_size;
    }
  }

  const Head& first_;
  const Attention<float>& a_;
  const Size heads_;
  float* weights_;  // [heads, queries, keys], or null
  float* scores_;   // [heads, stride]
  float* kept_;     // dropout factors of a row
};

// Transposing the keys and copying the values costs as much as a few queries.
bool has_few_queries(const Head& head) { return head.queries < 4; }

template <class E>
void attend(const Attention<float>& a) {
  each_heads(a, [&](Size sentence, Size first, Size heads) {
    float* weights = a.weights;
    if (weights)
      for (Size s = 0; s < sentence; ++s) weights += a.heads * Head(a, s, 0).queries * Head(a, s, 0).keys;
    const auto weights_of = [&](const Head& head) {
      return weights ? weights + head.head * head.queries * head.keys : nullptr;
    };
    Head head(a, sentence, first);
    if (has_few_queries(head)) return FewQueries<E>(head, heads, weights_of(head)).run();
    for (; head.head < first + heads; ++head.head) ManyQueries<E>(head, weights_of(head)).run();
  });
}

void attention(const Attention<float>& a) { a.k_bf16 ? attend<bf16>(a) : attend<float>(a); }

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
