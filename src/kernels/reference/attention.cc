#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

// One sentence of the batch.
struct Sentence {
  Size first_query, queries, first_key, keys;

  template <class A>
  Sentence(const A& a, Size s)
      : first_query(a.query_offsets[s]),
        queries(a.query_offsets[s + 1] - first_query),
        first_key(a.key_offsets[s]),
        keys(a.key_offsets[s + 1] - first_key) {}

  // Number of keys that query i attends to.
  Size visible(Size i, bool causal) const { return causal ? std::max<Size>(0, keys - queries + i + 1) : keys; }

  // The row of key j.
  template <class T>
  Size key_row(const Attention<T>& a, Size j) const {
    return a.key_rows ? a.key_rows[first_key + j] : first_key + j;
  }
};

// Calls f(sentence, head, i, visible keys, offset of this head's [nq, nk] matrix in the array of all weights).
template <class T, class F>
void for_each_query(const Attention<T>& a, F&& f) {
  Size at = 0;
  for (Size s = 0; s < a.sentences; ++s) {
    const Sentence sentence(a, s);
    for (Size h = 0; h < a.heads; ++h, at += sentence.queries * sentence.keys)
      for (Size i = 0; i < sentence.queries; ++i) f(sentence, h, i, sentence.visible(i, a.causal), at);
  }
}

// An element of keys or values, which are T or bf16.
template <class T>
T element(const T* whole, const bf16* half, Size at) {
  return half ? static_cast<T>(half[at].value()) : whole[at];
}

template <class T>
T score(const Attention<T>& a, const Sentence& s, Size h, Size i, Size j) {
  T sum = 0;
  for (Size d = 0; d < a.key_size; ++d)
    sum += a.q[(s.first_query + i) * a.q_stride + h * a.key_size + d] *
           element(a.k, a.k_bf16, s.key_row(a, j) * a.k_stride + h * a.key_size + d);
  return static_cast<T>(a.scale) * sum;
}

template <class T>
T kept(const Attention<T>& a, const Sentence& s, Size h, Size i, Size j) {
  return static_cast<T>(a.dropout.factor((s.first_query + i) * a.heads + h, j, a.longest));
}

template <class T>
void attention(const Attention<T>& a) {
  for_each_query(a, [&](const Sentence& s, Size h, Size i, Size visible, Size at) {
    std::vector<T> weights(static_cast<std::size_t>(s.keys), T(0));
    T largest = -std::numeric_limits<T>::infinity(), sum = 0;
    for (Size j = 0; j < visible; ++j) largest = std::max(largest, weights[j] = score(a, s, h, i, j));
    for (Size j = 0; j < visible; ++j) sum += weights[j] = std::exp(weights[j] - largest);
    for (Size j = 0; j < visible; ++j) weights[j] /= sum;
    const Size row = s.first_query + i;
    if (a.log_sum)
      a.log_sum[row * a.heads + h] = visible ? largest + std::log(sum) : -std::numeric_limits<T>::infinity();
    if (a.weights)
      for (Size j = 0; j < s.keys; ++j) a.weights[at + i * s.keys + j] = weights[j];
    for (Size d = 0; d < a.value_size; ++d) {
      T out = 0;
      for (Size j = 0; j < visible; ++j)
        out += weights[j] * kept(a, s, h, i, j) *
               element(a.v, a.v_bf16, s.key_row(a, j) * a.v_stride + h * a.value_size + d);
      a.out[(row * a.heads + h) * a.value_size + d] = out;
    }
  });
}

template <class T>
void clear_rows(T* x, Size rows, Size cols, Size stride) {
  for (Size r = 0; r < rows; ++r)
    for (Size c = 0; c < cols; ++c) x[r * stride + c] = 0;
}

// With w = softmax(s), m the dropout factors and o = (w * m) v:
//   dv_j += w_ij m_ij do_i;  dw_ij = m_ij (do_i . v_j);  ds_ij = w_ij (dw_ij - do_i . o_i)
//   dq_i += scale ds_ij k_j;  dk_j += scale ds_ij q_i
template <class T>
void attention_backward(const AttentionBackward<T>& b) {
  const Attention<T>& a = b.forward;
  const Size queries = a.sentences ? a.query_offsets[a.sentences] : 0;
  const Size keys = a.sentences ? a.key_offsets[a.sentences] : 0;
  if (b.dq && !b.accumulate_dq) clear_rows(b.dq, queries, a.heads * a.key_size, b.dq_stride);
  if (b.dk && !b.accumulate_dk) clear_rows(b.dk, keys, a.heads * a.key_size, b.dk_stride);
  if (b.dv && !b.accumulate_dv) clear_rows(b.dv, keys, a.heads * a.value_size, b.dv_stride);
  for_each_query(a, [&](const Sentence& s, Size h, Size i, Size visible, Size) {
    const Size row = s.first_query + i;
    const T* dout = b.dout + (row * a.heads + h) * a.value_size;
    const T* out = a.out + (row * a.heads + h) * a.value_size;
    T dout_out = 0;
    for (Size d = 0; d < a.value_size; ++d) dout_out += dout[d] * out[d];
    for (Size j = 0; j < visible; ++j) {
      const T weight = std::exp(score(a, s, h, i, j) - a.log_sum[row * a.heads + h]);
      const T factor = kept(a, s, h, i, j);
      const Size key = s.first_key + j;
      T dout_v = 0;
      for (Size d = 0; d < a.value_size; ++d) {
        dout_v += dout[d] * a.v[key * a.v_stride + h * a.value_size + d];
        if (b.dv) b.dv[key * b.dv_stride + h * a.value_size + d] += weight * factor * dout[d];
      }
      const T dscore = static_cast<T>(a.scale) * weight * (factor * dout_v - dout_out);
      for (Size d = 0; d < a.key_size; ++d) {
        const Size column = h * a.key_size + d;
        if (b.dq) b.dq[row * b.dq_stride + column] += dscore * a.k[key * a.k_stride + column];
        if (b.dk) b.dk[key * b.dk_stride + column] += dscore * a.q[row * a.q_stride + column];
      }
    }
  });
}

// Calls f(query row, key row, offset of its score) for every visible pair of a query and a key.
template <class T, class F>
void for_each_pair(const AdditiveScores<T>& a, F&& f) {
  Size at = 0;
  for (Size s = 0; s < a.sentences; ++s) {
    const Sentence sentence(a, s);
    for (Size i = 0; i < sentence.queries; ++i, at += sentence.keys)
      for (Size j = 0; j < sentence.visible(i, a.causal); ++j)
        f(sentence.first_query + i, sentence.first_key + j, at + j);
  }
}

template <class T>
void additive_scores(const AdditiveScores<T>& a) {
  Size pairs = 0;
  for (Size s = 0; s < a.sentences; ++s) pairs += Sentence(a, s).queries * Sentence(a, s).keys;
  std::fill_n(a.scores, pairs, static_cast<T>(kHidden));
  for_each_pair(a, [&](Size query, Size key, Size at) {
    T sum = 0;
    for (Size d = 0; d < a.size; ++d) sum += a.v[d] * std::tanh(a.q[query * a.size + d] + a.k[key * a.size + d]);
    a.scores[at] = sum;
  });
}

template <class T>
void additive_scores_backward(const AdditiveScoresBackward<T>& b) {
  const AdditiveScores<T>& a = b.forward;
  const Size queries = a.sentences ? a.query_offsets[a.sentences] : 0;
  const Size keys = a.sentences ? a.key_offsets[a.sentences] : 0;
  if (b.dq && !b.accumulate_dq) clear_rows(b.dq, queries, a.size, a.size);
  if (b.dk && !b.accumulate_dk) clear_rows(b.dk, keys, a.size, a.size);
  for_each_pair(a, [&](Size query, Size key, Size at) {
    for (Size d = 0; d < a.size; ++d) {
      const T t = std::tanh(a.q[query * a.size + d] + a.k[key * a.size + d]);
      const T slope = b.dscores[at] * a.v[d] * (1 - t * t);
      if (b.dq) b.dq[query * a.size + d] += slope;
      if (b.dk) b.dk[key * a.size + d] += slope;
      if (b.dv) b.dv[d] += b.dscores[at] * t;
    }
  });
}

}  // namespace

template <class T>
void fill_attention(Kernels<T>& kernels) {
  kernels.attention = attention<T>;
  kernels.attention_backward = attention_backward<T>;
  kernels.additive_scores = additive_scores<T>;
  kernels.additive_scores_backward = additive_scores_backward<T>;
}

template void fill_attention(Kernels<float>&);
template void fill_attention(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
