// What attention's forward and backward share: the work of one head of one sentence, cut into blocks of queries.
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

  // How many keys query i sees.
  Size visible(Size i) const { return a.causal ? std::clamp<Size>(keys - queries + i + 1, 0, keys) : keys; }
  // Queries that are worked on together. Under causality blocks are small, because all queries of a block meet the
  // keys that its last one sees; otherwise they are as large as the cache of scores allows.
  Size block() const { return a.causal ? 16 : std::clamp<Size>(round_up(16384 / std::max<Size>(keys, 1), 4), 16, 64); }
  // The row length of a block's scores.
  Size stride() const { return round_up(keys, kLanes); }

  const float* q(Size i) const { return a.q + (first_query + i) * a.q_stride + head * a.key_size; }
  const float* k() const { return a.k + first_key * a.k_stride + head * a.key_size; }
  const float* v() const { return a.v + first_key * a.v_stride + head * a.value_size; }
  // The same of key j, wherever it lies.
  const float* k(Size j) const { return a.k + row(j) * a.k_stride + head * a.key_size; }
  const float* v(Size j) const { return a.v + row(j) * a.v_stride + head * a.value_size; }
  Size row(Size j) const { return a.key_rows ? a.key_rows[first_key + j] : first_key + j; }
  Size state(Size i) const { return (first_query + i) * a.heads + head; }  // the row of out, log_sum and dropout
  Size out_stride() const { return a.heads * a.value_size; }
};

// Calls f(sentence, head) for every head of every sentence, on the pool where the work is worth it.
template <class F>
void each_head(const Attention<float>& a, F&& f) {
  Size work = 0;
  for (Size s = 0; s < a.sentences; ++s)
    work += Size{a.query_offsets[s + 1] - a.query_offsets[s]} * (a.key_offsets[s + 1] - a.key_offsets[s]);
  // Where there are sentences enough, one thread works through all heads of a sentence, whose rows are neighbours.
  const Size together = a.sentences >= 16 * threads::count() ? a.heads : 1, items = a.sentences * a.heads / together;
  const auto item = [&](Size i) {
    for (Size head = i * together; head < (i + 1) * together; ++head) f(head / a.heads, head % a.heads);
  };
  if (work * a.heads * (a.key_size + a.value_size) < 2 * kProductGrain)
    for (Size i = 0; i < items; ++i) item(i);
  else
    threads::each(items, item);
}

// Asks for rows that lie `stride` apart, too far for a core to foresee them.
HWY_INLINE void ask_for_rows(Size rows, Size cols, const float* from, Size stride) {
  for (Size r = 0; r < rows; ++r) ask_for(from + r * stride, cols);
}

// Copies rows that lie `stride` apart side by side.
HWY_INLINE void copy_rows(Size rows, Size cols, const float* from, Size stride, float* to) {
  for (Size r = 0; r < rows; ++r) std::copy_n(from + r * stride, cols, to + r * cols);
}

// Puts -infinity after the visible scores of a row, up to a whole vector, so that rows need no special end.
HWY_INLINE Size close_row(float* scores, Size visible) {
  const Size end = round_up(visible, kLanes);
  for (Size j = visible; j < end; ++j) scores[j] = -std::numeric_limits<float>::infinity();
  return end;
}

}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
