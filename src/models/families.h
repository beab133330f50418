#pragma once

#include <limits>
#include <memory>

#include "models/parts.h"

namespace dragoman::models {

class WordEmbedding;

// A family of models answers for everything that distinguishes it from the others. Each one is defined in its own file
// (recurrent.cc, transformer.cc) and found through the list in families.cc; nothing else asks which family a model is.
struct Family {
  const char* name;
  // Refuses settings that make no sense for this family, with the reason.
  void (*check)(const ModelConfig& config);
  // The most tokens that a source or a target may have, begin and end marks included; kNoLimit where any number will
  // do.
  int (*max_positions)(const ModelConfig& config);
  // Standard deviation of the initial word vectors.
  double (*embedding_deviation)(const ModelConfig& config);
  // Initial values of an output layer that is not tied to the embeddings.
  nn::Init (*output_init)();
  std::unique_ptr<Encoder> (*make_encoder)(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words);
  std::unique_ptr<Decoder> (*make_decoder)(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words,
                                           Size encoder_size);
};

// Leaves room for arithmetic.
inline constexpr int kNoLimit = std::numeric_limits<int>::max() / 2;

const Family& family_of(const ModelConfig& config);

}  // namespace dragoman::models
