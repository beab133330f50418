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
class Backward {
 public:
  Backward(const Head& head, const AttentionBackward<float>& b)
      : head_(head), a_(head.a), b_(b), stride_(head.stride()), factors_(a_.dropout) {
    const Size block = head.block() * stride_;
    keys_turned_ =
        scratch(Scratch::piece, (a_.key_size + a_.value_size) * stride_ + 2 * block + Dropout::stride(head.keys));
    values_turned_ = keys_turned_ + a_.key_size * stride_;
    weights_ = values_turned_ + a_.value_size * stride_;
    dscores_ = weights_ + block;
    kept_ = dscores_ + block;
  }

  void run() const {
    if (b_.dq && !b_.accumulate_dq) clear(dq(0), b_.dq_stride, head_.queries, a_.key_size);
    if (b_.dk && !b_.accumulate_dk) clear(dk(), b_.dk_stride, head_.keys, a_.key_size);
    if (b_.dv && !b_.accumulate_dv) clear(dv(), b_.dv_stride, head_.keys, a_.value_size);
    transpose(head_.keys, a_.key_size, head_.k(), a_.k_stride, static_cast<float>(a_.scale), keys_turned_, stride_);
    transpose(head_.keys, a_.value_size, head_.v(), a_.v_stride, 1, values_turned_, stride_);
    for (Size begin = 0; begin < head_.queries; begin += head_.block())
      block(begin, std::min(begin + head_.block(), head_.queries));
  }

 private:
  float* dq(Size i) const { return b_.dq + (head_.first_query + i) * b_.dq_stride + head_.head * a_.key_size; }
  float* dk() const { return b_.dk + head_.first_key * b_.dk_stride + head_.head * a_.key_size; }
  float* dv() const { return b_.dv + head_.first_key * b_.dv_stride + head_.head * a_.value_size; }
  const float* dout(Size i) const { return b_.dout + head_.state(i) * a_.value_size; }

  static void clear(float* x, Size stride, Size rows, Size cols) {
    for (Size r = 0; r < rows; ++r) std::fill_n(x + r * stride, cols, 0.0f);
  }

  void block(Size begin, Size end) const {
    const Size count = end - begin, visible = head_.visible(end - 1), whole = round_up(visible, kLanes);
    if (visible == 0) return;
    multiply_tiles<false>({.m = count,
                           .n = whole,
                           .k = a_.key_size,
                           .a = head_.q(begin),
                           .a_stride = a_.q_stride,
                           .b = keys_turned_,
                           .b_stride = stride_,
                           .c = weights_,
                           .c_stride = stride_});
    multiply_tiles<false>({.m = count,
                           .n = whole,
                           .k = a_.value_size,
                           .a = dout(begin),
                           .a_stride = head_.out_stride(),
                           .b = values_turned_,
                           .b_stride = stride_,
                           .c = dscores_,
                           .c_stride = stride_});
    for (Size i = begin; i < end; ++i)
      row(i, weights_ + (i - begin) * stride_, dscores_ + (i - begin) * stride_, visible);
    if (b_.dq)
      multiply_tiles<false>({.m = count,
                             .n = a_.key_size,
                             .k = visible,
                             .a = dscores_,
                             .a_stride = stride_,
                             .b = head_.k(),
                             .b_stride = a_.k_stride,
                             .c = dq(begin),
                             .c_stride = b_.dq_stride,
                             .beta = 1});
    if (b_.dk)
      multiply_tiles<true>({.m = visible,
                            .n = a_.key_size,
                            .k = count,
                            .a = dscores_,
                            .a_stride = stride_,
                            .transposed_a = true,
                            .b = head_.q(begin),
                            .b_stride = a_.q_stride,
                            .c = dk(),
                            .c_stride = b_.dk_stride,
                            .beta = 1});
    if (b_.dv)
      multiply_tiles<true>({.m = visible,
                            .n = a_.value_size,
                            .k = count,
                            .a = weights_,
                            .a_stride = stride_,
                            .transposed_a = true,
                            .b = dout(begin),
                            .b_stride = head_.out_stride(),
                            .c = dv(),
                            .c_stride = b_.dv_stride,
                            .beta = 1});
  }

  // In: scores and do . v of query i. Out: dropped weights and scaled gradients of the scores, with zeros up to `end`.
  void row(Size i, float* weights, float* dscores, Size end) const {
    const Size visible = head_.visible(i), state = head_.state(i);
    if (visible > 0) {
      const Size whole = close_row(weights, visible);
      const V log_sum = hn::Set(kTag, a_.log_sum[state]), scale = splat(a_.scale);
      const V dout_out = hn::Set(kTag, dot_row(a_.value_size, dout(i), a_.out + state * a_.value_size));
      const bool dropping = a_.dropout.rate != 0;
      if (dropping) factors_.write(state, a_.longest, visible, kept_);
      for (Size j = 0; j < whole; j += kLanes) {
        const V weight = exp(hn::Sub(Whole::load(weights + j), log_sum));
        const V factor = dropping ? Whole::load(kept_ + j) : splat(1);
        const V slope = hn::MulSub(factor, Whole::load(dscores + j), dout_out);
        Whole::store(hn::Mul(hn::Mul(scale, weight), slope), dscores + j);
        Whole::store(hn::Mul(weight, factor), weights + j);
      }
    }
    std::fill(weights + visible, weights + end, 0.0f);
    std::fill(dscores + visible, dscores + end, 0.0f);
  }

  const Head& head_;
  const Attention<float>& a_;
  const AttentionBackward<float>& b_;
  Size stride_;
  Factors factors_;
  float* keys_turned_;    // [key_size, stride]: the scaled keys, transposed
  float* values_turned_;  // [value_size, stride]
  float* weights_;        // [block, stride]
  float* dscores_;        // [block, stride]
  float* kept_;           // dropout factors of a row
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
