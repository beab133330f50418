#pragma once

#include "kernels/types.h"

// Attention over packed sentences.
namespace dragoman::kernels {

// Packed multi-head attention: out = dropout(softmax(scale * q k^T)) v for each sentence and head. The matrix of
// weights is never stored. With `causal`, query i of a sentence with nq queries and nk keys attends to the keys
// 0 .. nk - nq + i. The result of a query without keys is zero.
template <class T>
struct Attention {
  Size sentences = 0, heads = 1, key_size = 0, value_size = 0;  // sizes of one head
  Size queries = 0, keys = 0;                                   // in all sentences: Nq and Nk
  const std::int32_t* query_offsets = nullptr;                  // [B + 1]
  const std::int32_t* key_offsets = nullptr;                    // [B + 1]
  Size longest_queries = 0;                                     // queries of the sentence with the most
  Size longest = 0;                                             // keys of the sentence with the most
  bool causal = false;
  double scale = 1;
  Dropout dropout{};     // matrix [queries * heads, longest]: row = query * heads + head, column = key of the sentence
  const T* q = nullptr;  // [Nq, heads * key_size], rows q_stride apart
  const T* k = nullptr;  // [Nk, heads * key_size]
  const T* v = nullptr;  // [Nk, heads * value_size]
  Size q_stride = 0, k_stride = 0, v_stride = 0;
  // On the host, instead of k and v: keys and values that a decoder keeps in bf16. Everything else stays in T. Backward
  // does not support it.
  const bf16* k_bf16 = nullptr;
  const bf16* v_bf16 = nullptr;
  bool values_are_keys = false;  // v is k, of the same size and stride, so that a kernel may read it once for both
  // Optional, [Nk]: key i of the batch is row key_rows[i] of k and v, so that hypotheses share the rows of a common
  // prefix. Backward does not support it. Among the rows that the layer which computed q has just written, each query
  // reads at most one: its own.
  const std::int32_t* key_rows = nullptr;
  T* out = nullptr;  // [Nq, heads * value_size]
  // [Nq, heads]: log-sum-exp of the scores; -inf without keys. Optional on the host; backward needs it.
  Stat<T>* log_sum = nullptr;
  T* weights = nullptr;  // optional: [heads, nq, nk] per sentence, before dropout
  // Only q and dout depend on the previous kernel; see Term::independent.
  bool independent_keys = false;
};

template <class T>
struct AttentionBackward {
  Attention<T> forward{};   // the arguments of forward; `weights` is not used
  const T* dout = nullptr;  // [Nq, heads * value_size]
  T* dq = nullptr;          // with the layout of q, k, v; each optional
  T* dk = nullptr;
  T* dv = nullptr;
  Size dq_stride = 0, dk_stride = 0, dv_stride = 0;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
};

// Additive attention (Bahdanau et al. 2015) of projected queries and keys: score(i, j) = v . tanh(q_i + k_j) for every
// query and key of the same sentence. Scores are ragged: [nq, nk] for one sentence after the other. Where `causal`
// (as in Attention) hides a key from a query, their score is kHidden, whose softmax weight is 0.
inline constexpr float kHidden = -1e30f;

template <class T>
struct AdditiveScores {
  Size sentences = 0, size = 0;
  bool causal = false;
  Size queries = 0, keys = 0;  // in all sentences: Nq and Nk
  const std::int32_t* query_offsets = nullptr;
  const std::int32_t* key_offsets = nullptr;
  const T* q = nullptr;  // [Nq, size]
  const T* k = nullptr;  // [Nk, size]
  const T* v = nullptr;  // [size]
  T* scores = nullptr;
};

template <class T>
struct AdditiveScoresBackward {
  AdditiveScores<T> forward{};
  const T* dscores = nullptr;
  T* dq = nullptr;  // optional
  T* dk = nullptr;  // optional
  bool accumulate_dq = false, accumulate_dk = false;
  Stat<T>* dv = nullptr;  // optional
};

}  // namespace dragoman::kernels
