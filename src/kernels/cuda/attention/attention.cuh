#pragma once

#include "kernels/cuda/runtime/device.cuh"

namespace dragoman::kernels::cuda {

// The rows of one sentence.
struct Sentence {
  Size first_query, queries, first_key, keys;

  template <class T>
  __device__ Sentence(const Attention<T>& a, Size s)
      : first_query(a.query_offsets[s]),
        queries(a.query_offsets[s + 1] - first_query),
        first_key(a.key_offsets[s]),
        keys(a.key_offsets[s + 1] - first_key) {}

  // How many keys query i sees.
  __device__ Size visible(Size i, bool causal) const { return causal ? max(Size{0}, keys - queries + i + 1) : keys; }
  // Where key j lies.
  template <class T>
  __device__ Size key_row(const Attention<T>& a, Size j) const {
    return a.key_rows != nullptr ? a.key_rows[first_key + j] : first_key + j;
  }
};

// Attention on tensor cores: heads of 64, keys and values alike, in bf16. False when it does not fit.
bool attention_on_tensor_cores(const Attention<bf16>& a);
bool attention_on_tensor_cores(const AttentionBackward<bf16>& b);
// The same forward without dropout where sentences are long, on compute capability 9.0; what does not fit tensor cores
// is not asked for.
bool attention_of_long_sentences(const Attention<bf16>& a);
// Few queries a sentence, heads of 64, keys anywhere: a step of search. False when it does not fit.
bool attention_of_few_queries(const Attention<bf16>& a);
// Heads of up to 512 numbers, query by query. False when it does not fit.
bool attention_of_rows(const Attention<bf16>& a);
bool attention_of_rows(const AttentionBackward<bf16>& b);
// The same for one query a sentence where keys and values were there early; backward gives the gradients of queries
// only. What does not fit rows is not asked for. False when it does not fit.
bool attention_of_early_keys(const Attention<bf16>& a);
bool attention_of_early_keys(const AttentionBackward<bf16>& b);
// Of heads of more than 64 numbers the gradients of keys and values, on tensor cores; what does not fit rows is not
// asked for. False when it does not fit.
bool key_gradients_of_wide_heads(const AttentionBackward<bf16>& b);

}  // namespace dragoman::kernels::cuda
