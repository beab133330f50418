#pragma once

#include "models/families.h"

namespace dragoman::models {

// The word embeddings of one side.
class WordEmbedding {
 public:
  WordEmbedding() = default;
  WordEmbedding(nn::Parameters& list, const std::string& name, Size words, const ModelConfig& config)
      : table_(list.add(name + ".weight", {words, config.embedding},
                        nn::Init::normal(family_of(config).embedding_deviation(config)))) {
    table_.mark_looked_up();
  }
  static WordEmbedding of_source(nn::Parameters& list, const ModelConfig& config) {
    return WordEmbedding(list, "encoder.embed_tokens", config.source_vocabulary, config);
  }
  static WordEmbedding of_target(nn::Parameters& list, const ModelConfig& config) {
    return WordEmbedding(list, "decoder.embed_tokens", config.target_vocabulary, config);
  }

  // [N, embedding]. Throws for ids outside the vocabulary, on every device.
  Tensor operator()(Context& cx, const Packed& tokens, const EmbeddingOptions& options = {}) const {
    tokens.check_ids(table_.tensor().rows());
    return embedding(cx, tokens.tokens, table_, options);
  }
  nn::Parameter table() const { return table_; }

 private:
  nn::Parameter table_;
};

}  // namespace dragoman::models
