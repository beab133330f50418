#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/additive.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/columns-inl.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

// The queries and keys of one sentence: first rows and counts.
struct Pairs {
  Size query, queries, key, keys;

  Pairs(const AdditiveScores<float>& a, Size s)
      : query(a.query_offsets[s]),
        queries(a.query_offsets[s + 1] - query),
        key(a.key_offsets[s]),
        keys(a.key_offsets[s + 1] - key) {}
  Size count() const { return queries * keys; }
  // Number of keys that query i attends to.
  Size visible(Size i, bool causal) const { return causal ? std::max<Size>(0, keys - queries + i + 1) : keys; }
};

// Calls f(pairs of the sentence, offset of its scores, sums of its part) for every sentence, part by part.
template <class F>
void each_sentence(const AdditiveScores<float>& a, const PartialSums& parts, F&& f) {
  parts.each_part([&](Size begin, Size end, float* sums) {
    Size at = 0;
    for (Size s = 0; s < begin; ++s) at += Pairs(a, s).count();
    for (Size s = begin; s < end; ++s) {
      const Pairs pairs(a, s);
      f(pairs, at, sums);
      at += pairs.count();
    }
  });
}

// The grain in sentences; a hyperbolic tangent costs as much as ten light operations.
Size least_sentences(const AdditiveScores<float>& a) {
  Size pairs = 0;
  for (Size s = 0; s < a.sentences; ++s) pairs += Pairs(a, s).count();
  return row_grain(pairs * a.size / std::max<Size>(a.sentences, 1), kGrain / 8);
}

void additive_scores(const AdditiveScores<float>& a) {
  if (a.sentences == 0) return;
  const PartialSums parts(a.sentences, least_sentences(a), 0);
  each_sentence(a, parts, [&](const Pairs& pairs, Size at, float*) HWY_ATTR {
    for (Size i = 0; i < pairs.queries; ++i, at += pairs.keys) {
      const Size visible = pairs.visible(i, a.causal);
      std::fill_n(a.scores + at + visible, pairs.keys - visible, kHidden);
      for (Size j = 0; j < visible; ++j) {
        const float* q = a.q + (pairs.query + i) * a.size;
        const float* k = a.k + (pairs.key + j) * a.size;
        Four sum(hn::Zero(kTag));
        each_vector_of_four(0, a.size, [&](Size d, auto lanes, int w) HWY_ATTR {
          const V t = tanh(hn::Add(lanes.load(q + d), lanes.load(k + d)));
          sum.v[w] = hn::MulAdd(lanes.load(a.v + d), t, sum.v[w]);
        });
        a.scores[at + j] = sum.sum();
      }
    }
  });
}

void clear_rows(float* x, Size first, Size rows, Size cols) { std::fill_n(x + first * cols, rows * cols, 0.0f); }

// With t = tanh(q_i + k_j): dq_i and dk_j += dscore v (1 - t^2);  dv += dscore t.
void additive_scores_backward(const AdditiveScoresBackward<float>& b) {
  const AdditiveScores<float>& a = b.forward;
  if (a.sentences == 0) return;
  const PartialSums parts(a.sentences, least_sentences(a), a.size);
  each_sentence(a, parts, [&](const Pairs& pairs, Size at, float* dv) HWY_ATTR {
    if (b.dq && !b.accumulate_dq) clear_rows(b.dq, pairs.query, pairs.queries, a.size);
    if (b.dk && !b.accumulate_dk) clear_rows(b.dk, pairs.key, pairs.keys, a.size);
    for (Size i = 0; i < pairs.queries; ++i, at += pairs.keys)
      for (Size j = 0; j < pairs.visible(i, a.causal); ++j) {
        const Size q = (pairs.query + i) * a.size, k = (pairs.key + j) * a.size;
        const V dscore = hn::Set(kTag, b.dscores[at + j]);
        each_vector(0, a.size, [&](Size d, auto lanes) HWY_ATTR {
          const V t = tanh(hn::Add(lanes.load(a.q + q + d), lanes.load(a.k + k + d)));
          const V slope = hn::Mul(hn::Mul(dscore, lanes.load(a.v + d)), hn::NegMulAdd(t, t, splat(1)));
          if (b.dq) put(lanes, slope, b.dq + q + d, true);
          if (b.dk) put(lanes, slope, b.dk + k + d, true);
          lanes.store(hn::MulAdd(dscore, t, lanes.load(dv + d)), dv + d);
        });
      }
  });
  if (b.dv) parts.add_to(b.dv, 0, a.size);
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(additive_scores);
HWY_EXPORT(additive_scores_backward);

void fill_additive(Kernels<float>& kernels) {
  kernels.additive_scores = [](const auto& a) { HWY_DYNAMIC_DISPATCH(additive_scores)(a); };
  kernels.additive_scores_backward = [](const auto& a) { HWY_DYNAMIC_DISPATCH(additive_scores_backward)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
