#pragma once

#include <vector>

#include "models/seq2seq.h"

namespace dragoman::search {

// The attention weights of a batch: one row per target token with the weights of its source tokens.
using Attention = std::vector<std::vector<float>>;

// Reads the attention weights that decode() was asked to return, averaged over heads. Empty if the model does not
// attend to single source tokens: it has no attention, or attends to mixtures of them (Linformer).
Attention read_attention(const models::Seq2seq& network, const models::Decoded& decoded, const models::State& state,
                         const models::Memory& memory);

}  // namespace dragoman::search
