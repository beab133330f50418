#include "kernels/cpu/cpu.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention_backward.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

// With w = softmax(s), m the dropout factors and o = (w * m) v:
//   dv_j += w_ij m_ij do_i;  dw_ij = m_ij (do_i . v_j);  ds_ij = w_ij (dw_ij - do_i . o_i)
//   dq_i += scale ds_ij k_j;  dk_j += scale ds_ij q_i
// The rows of one head are far apart in memory; contiguous copies avoid conflict misses in the cache.
class Backward {
 public:
  Backward(const Head& head, const AttentionBackward<float>& b)
      : head_(head), a_(head.a), b_(b), stride_(head.stride()), factors_(a_.dropout) {
    const Size block = head.block() * stride_, sizes = a_.key_size + a_.value_size;
    keys_transposed_ = scratch(Scratch::piece, sizes * (stride_ + head.block()) + a_.key_size * head.keys + 2 * block +
                                                   Dropout::stride(head.keys));
    values_transposed_ = keys_transposed_ + a_.key_size * stride_;
    keys_ = values_transposed_ + a_.value_size * stride_;
    queries_ = keys_ + a_.key_size * head.keys;
    dout_ = queries_ + a_.key_size * head.block();
    weights_ = dout_ + a_.value_size * head.block();
    dscores_ = weights_ + block;
    kept_ = dscores_ + block;
  }

  void run() const {
    prefetch_all();
    copy_rows(head_.keys, a_.key_size, head_.k(), a_.k_stride, keys_);
    transpose(head_.keys, a_.key_size, keys_, a_.key_size, static_cast<float>(a_.scale), keys_transposed_, stride_);
    transpose(head_.keys, a_.value_size, head_.v(), a_.v_stride, 1, values_transposed_, stride_);
    if (head_.queries == 0) clear_keys();
    // The last block attends to all keys. It comes first, so that the gradients of the keys need not be cleared.
    const Size blocks = (head_.queries + head_.block() - 1) / head_.block();
    for (Size i = blocks - 1; i >= 0; --i)
      block(i * head_.block(), std::min((i + 1) * head_.block(), head_.queries), i == blocks - 1);
  }

 private:
  float* dq(Size i) const { return b_.dq + (head_.first_query + i) * b_.dq_stride + head_.head * a_.key_size; }
  float* dk() const { return b_.dk + head_.first_key * b_.dk_stride + head_.head * a_.key_size; }
  float* dv() const { return b_.dv + head_.first_key * b_.dv_stride + head_.head * a_.value_size; }
  const float* dout(Size i) const { return b_.dout + head_.state(i) * a_.value_size; }

  // Inlined, because the compiler drops calls of functions that only prefetch.
  HWY_INLINE void prefetch_all() const {
    prefetch_rows(head_.keys, a_.key_size, head_.k(), a_.k_stride);
    prefetch_rows(head_.keys, a_.value_size, head_.v(), a_.v_stride);
    prefetch_rows(head_.queries, a_.key_size, head_.q(0), a_.q_stride);
    prefetch_rows(head_.queries, a_.value_size, dout(0), head_.out_stride());
    prefetch_rows(head_.queries, a_.value_size, a_.out + head_.state(0) * a_.value_size, head_.out_stride());
  }

  static void clear(float* x, Size stride, Size rows, Size cols) {
    for (Size r = 0; r < rows; ++r) std::fill_n(x + r * stride, cols, 0.0f);
  }
  void clear_keys() const {
    if (b_.dk && !b_.accumulate_dk) clear(dk(), b_.dk_stride, head_.keys, a_.key_size);
    if (b_.dv && !b_.accumulate_dv) clear(dv(), b_.dv_stride, head_.keys, a_.value_size);
  }

  // `first`: the gradients of keys and values are still empty.
  void block(Size begin, Size end, bool first) const {
    const Size count = end - begin, visible = head_.visible(end - 1), whole = round_up(visible, kLanes);
    if (visible == 0) {
      if (b_.dq && !b_.accumulate_dq) clear(dq(begin), b_.dq_stride, count, a_.key_size);
      return;
    }
    copy_rows(count, a_.key_size, head_.q(begin), a_.q_stride, queries_);
    copy_rows(count, a_.value_size, dout(begin), head_.out_stride(), dout_);
    multiply_tiles<false>({.m = count,
                           .n = whole,
                           .k = a_.key_size,
                           .a = queries_,
                           .a_stride = a_.key_size,
                           .b = keys_transposed_,
                           .b_stride = stride_,
                           .c = weights_,
                           .c_stride = stride_});
    multiply_tiles<false>({.m = count,
                           .n = whole,
                           .k = a_.value_size,
                           .a = dout_,
                           .a_stride = a_.value_size,
                           .b = values_transposed_,
                           .b_stride = stride_,
                           .c = dscores_,
                           .c_stride = stride_});
    for (Size i = begin; i < end; ++i) row(i, i - begin, visible);
    if (b_.dq)
      multiply_tiles<false>({.m = count,
                             .n = a_.key_size,
                             .k = visible,
                             .a = dscores_,
                             .a_stride = stride_,
                             .b = keys_,
                             .b_stride = a_.key_size,
                             .c = dq(begin),
                             .c_stride = b_.dq_stride,
                             .beta = b_.accumulate_dq ? 1.0f : 0.0f});
    if (b_.dk)
      multiply_tiles<true>({.m = visible,
                            .n = a_.key_size,
                            .k = count,
                            .a = dscores_,
                            .a_stride = stride_,
                            .transposed_a = true,
                            .b = queries_,
                            .b_stride = a_.key_size,
                            .c = dk(),
                            .c_stride = b_.dk_stride,
                            .beta = first && !b_.accumulate_dk ? 0.0f : 1.0f});
    if (b_.dv)
      multiply_tiles<true>({.m = visible,
                            .n = a_.value_size,
                            .k = count,
                            .a = weights_,
                            .a_stride = stride_,
                            .transposed_a = true,
                            .b = dout_,
                            .b_stride = a_.value_size,
                            .c = dv(),
                            .c_stride = b_.dv_stride,
                            .beta = first && !b_.accumulate_dv ? 0.0f : 1.0f});
  }

  // In: scores and do . v of query i, row `place` of the block. Out: weights after dropout and scaled gradients of the
  // scores, both padded with zeros up to `end`.
  void row(Size i, Size place, Size end) const {
    float* weights = weights_ + place * stride_;
    float* dscores = dscores_ + place * stride_;
    const Size visible = head_.visible(i), state = head_.state(i);
    if (visible > 0) {
      const Size whole = pad_row(weights, visible);
      const float dout_out = dot_row(a_.value_size, dout_ + place * a_.value_size, a_.out + state * a_.value_size);
      if (a_.dropout.rate != 0) {
        factors_.write(state, a_.longest, visible, kept_);
        score_gradients<true>(whole, a_.log_sum[state], dout_out, weights, dscores);
      } else {
        score_gradients<false>(whole, a_.log_sum[state], dout_out, weights, dscores);
      }
    }
    std::fill(weights + visible, weights + end, 0.0f);
    std::fill(dscores + visible, dscores + end, 0.0f);
  }

  template <bool kDropping>
  HWY_INLINE void score_gradients(Size count, float log_sum, float dout_out, float* weights, float* dscores) const {
    const V total = hn::Set(kTag, log_sum), mean = hn::Set(kTag, dout_out), scale = splat(a_.scale);
    const float* kept = kept_;
    each_four_of(weights, count, total, [=](Size j, auto& v, auto) HWY_ATTR {
      constexpr int kCount = length_of<decltype(v)>;
      for (int i = 0; i < kCount; ++i) v[i] = hn::Sub(v[i], total);
      exp_of(v);
      for (int i = 0; i < kCount; ++i) {
        const Size at = j + i * kLanes;
        const V factor = kDropping ? Whole::load(kept + at) : splat(1);
        const V dweight = kDropping ? hn::Mul(factor, Whole::load(dscores + at)) : Whole::load(dscores + at);
        Whole::store(hn::Mul(hn::Mul(scale, v[i]), hn::Sub(dweight, mean)), dscores + at);
        Whole::store(kDropping ? hn::Mul(v[i], factor) : v[i], weights + at);
      }
    });
  }

  const Head& head_;
  const Attention<float>& a_;
  const AttentionBackward<float>& b_;
  Size stride_;
  Factors factors_;
  float* keys_transposed_;    // [key_size, stride]: the scaled keys, transposed
  float* values_transposed_;  // [value_size, stride]
  float* keys_;               // [keys, key_size]
  float* queries_;            // [block, key_size]
  float* dout_;               // [block, value_size]
  float* weights_;            // [block, stride]
  float* dscores_;            // [block, stride]
  float* kept_;               // dropout factors of a row
};

void attention_backward(const AttentionBackward<float>& b) {
  each_head(b.forward, [&](Size sentence, Size which) {
    const Head head(b.forward, sentence, which);
    Backward(head, b).run();
  });
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(attention_backward);

void fill_attention_backward(Kernels<float>& kernels) {
  kernels.attention_backward = [](const auto& a) { HWY_DYNAMIC_DISPATCH(attention_backward)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
