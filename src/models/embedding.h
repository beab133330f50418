#pragma once

#include <cmath>

#include "models/config.h"

namespace dragoman::models {

// Word vectors of one side.
class WordEmbedding {
 public:
  WordEmbedding() = default;
  // Vectors start with a variance of 1 where they go into a layer as they are, and of 1 / size where a Transformer
  // scales them up or an output layer shares them.
  WordEmbedding(nn::Parameters& list, const std::string& name, Size words, const ModelConfig& config)
      : table_(list.add(name + ".weight", {words, config.embedding}, nn::Init::normal(deviation(config)))) {}
  // A table that another side has already.
  explicit WordEmbedding(nn::Parameter table) : table_(table) {}

  Tensor operator()(Context& cx, const Tensor& tokens, const EmbeddingOptions& options = {}) const {
    return embedding(cx, tokens, table_, options);
  }
  nn::Parameter table() const { return table_; }

 private:
  static double deviation(const ModelConfig& config) {
    const bool as_it_is = config.family == Family::recurrent && config.tied == Tie::none;
    return as_it_is ? 1 : 1 / std::sqrt(static_cast<double>(config.embedding));
  }

  nn::Parameter table_;
};

}  // namespace dragoman::models
