#pragma once

#include <cmath>

#include "models/config.h"

namespace dragoman::models {

// Word vectors of one side.
class WordEmbedding {
 public:
  WordEmbedding() = default;
  WordEmbedding(nn::Parameters& list, const std::string& name, Size words, Size size)
      : table_(list.add(name + ".weight", {words, size}, nn::Init::normal(1 / std::sqrt(static_cast<double>(size))))) {}
  // A table that another side has already.
  explicit WordEmbedding(nn::Parameter table) : table_(table) {}

  Tensor operator()(Context& cx, const Tensor& tokens, const EmbeddingOptions& options = {}) const {
    return embedding(cx, tokens, table_, options);
  }
  nn::Parameter table() const { return table_; }

 private:
  nn::Parameter table_;
};

}  // namespace dragoman::models
