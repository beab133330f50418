#pragma once

#include "kernels/types.h"

// Attention over packed sentences.
namespace dragoman::kernels {

// Packed multi-head attention: out = dropout(softmax(scale * q k^T)) v for every sentence and head by itself; the
// matrix of weights is never kept. With `causal`, query i of a sentence with nq queries and nk keys sees the keys
// 0 .. nk - nq + i. A query that sees no key gives zeros.
template <class T>
struct Attention {
  Size sentences = 0, heads = 1, key_size = 0, value_size = 0;  // sizes of one head
  Size queries = 0, keys = 0;                                   // of all sentences: Nq and Nk
  const std::int32_t* query_offsets = nullptr;                  // [B + 1]
  const std::int32_t* key_offsets = nullptr;                    // [B + 1]
  Size longest_queries = 0;                                     // the largest number of queries of a sentence
  Size longest = 0;                                             // the largest number of keys of a sentence
  bool causal = false;
  double scale = 1;
  Dropout dropout{};     // matrix [queries * heads, longest]: row = query * heads + head, column = key of the sentence
  const T* q = nullptr;  // [Nq, heads * key_size], rows q_stride apart
  const T* k = nullptr;  // [Nk, heads * key_size]
  const T* v = nullptr;  // [Nk, heads * value_size]
  Size q_stride = 0, k_stride = 0, v_stride = 0;
  // Optional, [Nk]: key i of all sentences' keys is row key_rows[i] of k and v, so that hypotheses share what they
  // have in common; the way back does not know it. Of rows that the layer which made q has written, too, every query
  // has at most its own.
  const std::int32_t* key_rows = nullptr;
  T* out = nullptr;            // [Nq, heads * value_size]
  Stat<T>* log_sum = nullptr;  // [Nq, heads]: log of the sum of exp(scores); -inf without keys
  T* weights = nullptr;        // optional: for each sentence [heads, nq, nk], before dropout
  bool early = false;          // all but q and dout was there before the entry that was called last wrote
};

template <class T>
struct AttentionBackward {
  Attention<T> forward{};   // as forward was called; `weights` is not used
  const T* dout = nullptr;  // [Nq, heads * value_size]
  T* dq = nullptr;          // laid out as q, k, v; each optional
  T* dk = nullptr;
  T* dv = nullptr;
  Size dq_stride = 0, dk_stride = 0, dv_stride = 0;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
};

// score(i, j) = v . tanh(q_i + k_j) for every query and key of the same sentence: Bahdanau's scores once both sides
// are projected. Scores are ragged: sentence after sentence, [nq, nk] each. Where `causal` as in Attention hides a key
// from a query, their score is kHidden, of which a softmax makes nothing.
inline constexpr float kHidden = -1e30f;

template <class T>
struct AdditiveScores {
  Size sentences = 0, size = 0;
  bool causal = false;
  Size queries = 0, keys = 0;  // of all sentences: Nq and Nk
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
