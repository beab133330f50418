#pragma once

#include "kernels/cuda/attention/choose_attention.h"
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

  // The number of keys that query i attends to.
  __device__ Size visible(Size i, bool causal) const { return causal ? max(Size{0}, keys - queries + i + 1) : keys; }
  // The row of key j.
  template <class T>
  __device__ Size key_row(const Attention<T>& a, Size j) const {
    return a.key_rows != nullptr ? a.key_rows[first_key + j] : first_key + j;
  }
};

// The launches of the kernels that choose_attention() and choose_attention_backward() name. They do not check the
// conditions again.
void attention_few_queries(const Attention<bf16>& a);
void attention_wgmma(const Attention<bf16>& a);
void attention_tiles(const Attention<bf16>& a);
void attention_tiles(const AttentionBackward<bf16>& b);
void attention_prefetch(const Attention<bf16>& a);
void attention_prefetch(const AttentionBackward<bf16>& b);
void attention_rows(const Attention<bf16>& a);
// With `wide_keys`, wide_key_gradients() computes the gradients of keys and values.
void attention_rows(const AttentionBackward<bf16>& b, bool wide_keys);
void wide_key_gradients(const AttentionBackward<bf16>& b);

}  // namespace dragoman::kernels::cuda
