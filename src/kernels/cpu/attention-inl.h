// Shared by attention's forward and backward: the work on one head of one sentence, split into blocks of queries.
#if defined(DRAGOMAN_KERNELS_CPU_ATTENTION_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_CPU_ATTENTION_INL
#undef DRAGOMAN_KERNELS_CPU_ATTENTION_INL
#else
#define DRAGOMAN_KERNELS_CPU_ATTENTION_INL
#endif

#include <algorithm>
#include <limits>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/dropout-inl.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/softmax-inl.h"
#include "kernels/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {

// One head of one sentence.
struct Head {
  const Attention<float>& a;
  Size head, first_query, queries, first_key, keys;

  Head(const Attention<float>& arguments, Size sentence, Size which)
      : a(arguments),
        head(which),
        first_query(a.query_offsets[sentence]),
        queries(a.query_offsets[sentence + 1] - first_query),
        first_key(a.key_offsets[sentence]),
        keys(a.key_offsets[sentence + 1] - first_key) {}

  // Number of keys that query i attends to.
  Size visible(Size i) const { return a.causal ? std::clamp<Size>(keys - queries + i + 1, 0, keys) : keys; }
  // Queries per block. Causal blocks are small, because scores are computed for all queries of a block and the keys
  // that its last query sees; otherwise blocks are as large as the scores that fit into the cache.
  Size block() const { return a.causal ? 16 : std::clamp<Size>(round_up(16384 / std::max<Size>(keys, 1), 4), 16, 64); }
  // The row stride of a block's scores.
  Size stride() const { return round_up(keys, kLanes); }

  const float* q(Size i) const { return a.q + (first_query + i) * a.q_stride + head * a.key_size; }
  const float* k() const { return a.k + first_key * a.k_stride + head * a.key_size; }
  const float* v() const { return a.v + first_key * a.v_stride + head * a.value_size; }
  // The same for key j, also with key_rows. E is the type of keys and values: float or bf16.
  template <class E>
  const E* k(Size j) const {
    return either<E>(a.k, a.k_bf16) + row(j) * a.k_stride + head * a.key_size;
  }
  template <class E>
  const E* v(Size j) const {
    return either<E>(a.v, a.v_bf16) + row(j) * a.v_stride + head * a.value_size;
  }
  Size row(Size j) const { return a.key_rows ? a.key_rows[first_key + j] : first_key + j; }
  Size state(Size i) const { return (first_query + i) * a.heads + head; }  // the row of out, log_sum and dropout
  Size out_stride() const { return a.heads * a.value_size; }

 private:
  template <class E>
  static const E* either(const float* whole, const bf16* half) {
    if constexpr (std::is_same_v<E, bf16>)
      return half;
    else
      return whole;
  }
};

// Calls f(sentence, first head, heads) for all heads of all sentences, in parallel if the work justifies it.
template <class F>
void each_heads(const Attention<float>& a, F&& f) {
  Size work = 0;
  for (Size s = 0; s < a.sentences; ++s)
    work += Size{a.query_offsets[s + 1] - a.query_offsets[s]} * (a.key_offsets[s + 1] - a.key_offsets[s]);
  // With enough sentences, one thread takes all heads of a sentence, whose rows are adjacent in memory.
  const bool one_thread = work * a.heads * (a.key_size + a.value_size) < 2 * kProductGrain;
  const Size together = one_thread || a.sentences >= 16 * threads::count() ? a.heads : 1;
  const Size parts = a.heads / together, items = a.sentences * parts;
  const auto item = [&](Size i) { f(i / parts, i % parts * together, together); };
  if (one_thread)
    for (Size i = 0; i < items; ++i) item(i);
  else
    threads::each(items, item);
}

// The same with f(sentence, head).
template <class F>
void each_head(const Attention<float>& a, F&& f) {
  each_heads(a, [&](Size sentence, Size first, Size heads) {
    for (Size head = first; head < first + heads; ++head) f(sentence, head);
  });
}

// Prefetches rows that are too far apart for the hardware prefetcher.
HWY_INLINE void prefetch_rows(Size rows, Size cols, const float* from, Size stride) {
  for (Size r = 0; r < rows; ++r) prefetch(from + r * stride, cols);
}

// Copies rows that are `stride` apart into contiguous memory.
HWY_INLINE void copy_rows(Size rows, Size cols, const float* from, Size stride, float* to) {
  for (Size r = 0; r < rows; ++r) std::copy_n(from + r * stride, cols, to + r * cols);
}

// Pads the visible scores of a row with -infinity up to a whole vector, so that no tail needs special handling.
HWY_INLINE Size pad_row(float* scores, Size visible) {
  const Size end = round_up(visible, kLanes);
  for (Size j = visible; j < end; ++j) scores[j] = -std::numeric_limits<float>::infinity();
  return end;
}

}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
