#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/seq2seq.h"

namespace dragoman::search {

// The attention weights of a batch: one row per target token.
using Attention = std::vector<std::vector<float>>;

// The rows of the nodes on a path; empty if no attention was recorded.
Attention rows_on(std::span<const std::int32_t> path, const Attention& nodes);

// Reads the attention weights over the source tokens that decode() was asked to return, averaged over heads. Empty if
// the model does not attend to single source tokens: it has no attention, or attends to mixtures of them (Linformer).
Attention read_attention(const models::Seq2seq& network, const models::Decoded& decoded, const models::State& state,
                         const models::Memory& memory);

// The same over the decoder's own past. `tokens` are those that decode() appended. The row of a hypothesis' token t
// (BOS is token 0) has t + 1 weights: of the decoder's initial state, then of the states that wrote tokens 1 to t.
// Empty if the model does not attend to its past.
Attention read_past_attention(const models::Decoded& decoded, const models::State& state, const Segments& tokens);

}  // namespace dragoman::search
