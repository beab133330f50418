#pragma once

#include "nn/layers.h"

namespace dragoman::models {

// The lexical model of Nguyen and Chiang 2018: a direct path from attended source words to the output layer.
//   f = tanh(sum over source words of weight * embedding);  h = tanh(W f) + f
// h is concatenated to the decoder's features, so the output layer is wider and adds its logits in the same product.
class LexicalModel {
 public:
  LexicalModel() = default;
  LexicalModel(nn::Parameters& list, Size embedding, nn::Init init)
      : hidden_(list, "decoder.lexical_hidden", embedding, embedding, false, init) {}

  bool defined() const { return hidden_.defined(); }
  // features [N, size] and the attended source embeddings [N, embedding] -> [N, size + embedding].
  Tensor operator()(Context& cx, const Tensor& features, const Tensor& attended) const {
    const Tensor f = tanh(cx, attended);
    const Tensor parts[] = {features, add(cx, hidden_(cx, f, Activation::tanh), f)};
    return concat_columns(cx, parts);
  }

 private:
  nn::Linear hidden_;
};

}  // namespace dragoman::models
