#pragma once

#include <vector>

#include "models/seq2seq.h"

namespace dragoman::search {

// For each target token of a batch, how much it attended to each token of its source.
using Attention = std::vector<std::vector<float>>;

// The weights that decode() was asked for, as their mean over heads. Nothing where the model attends to no source
// tokens: it has no such attention, or attends to mixtures of them (Linformer).
Attention read_attention(const models::Seq2seq& network, const models::Decoded& decoded, const models::State& state,
                         const models::Memory& memory);

}  // namespace dragoman::search
