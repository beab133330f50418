#pragma once

#include "exchange/huggingface_folder.h"
#include "exchange/weight_map.h"
#include "models/config.h"

// Marian, M2M100, NLLB, mBART and BART have the same modules in transformers, and so the same names in config.json and
// of their tensors.
namespace dragoman::exchange {

// Layers, sizes, activation, embeddings. What differs between these models is left to the caller: norms, positions.
models::ModelConfig bart_config(const HuggingFaceFolder& folder);

// Fills all parameters of such a model.
void put_bart_weights(WeightMap& map, const models::ModelConfig& config);

}  // namespace dragoman::exchange
