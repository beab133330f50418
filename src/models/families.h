#pragma once

#include <limits>
#include <memory>

#include "models/parts.h"

namespace dragoman::models {

class WordEmbedding;

// A model family: everything that distinguishes it from the others. Each is defined in its own file (recurrent.cc,
// transformer.cc) and listed in families.cc; no other code depends on which family a model belongs to.
struct Family {
  const char* name;
  // Throws Error with the reason if the settings are invalid for this family.
  void (*check)(const ModelConfig& config);
  // Maximum number of tokens of a source or a target, including BOS and EOS; kNoLimit if there is none.
  int (*max_positions)(const ModelConfig& config);
  // Whether the decoder attends to the states of the encoder.
  bool (*attends_to_source)(const ModelConfig& config);
  // Standard deviation of the initial word vectors.
  double (*embedding_deviation)(const ModelConfig& config);
  // Initial values of an output layer that is not tied to the embeddings.
  nn::Init (*output_init)();
  std::unique_ptr<Encoder> (*make_encoder)(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words);
  std::unique_ptr<Decoder> (*make_decoder)(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words,
                                           Size encoder_size);
};

// Half of the maximum, so that sums do not overflow.
inline constexpr int kNoLimit = std::numeric_limits<int>::max() / 2;

const Family& family_of(const ModelConfig& config);

}  // namespace dragoman::models
