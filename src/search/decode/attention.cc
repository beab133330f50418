#include "search/decode/attention.h"

namespace dragoman::search {

namespace {

// Averages weights, [heads, nq, nk] per segment, over heads. With `causal`, query i has only its visible keys, the
// first nk - nq + i + 1.
Attention average_heads(const Tensor& weights, const Segments& queries, const Segments& keys, bool causal) {
  Size pairs = 0;
  for (Size s = 0; s < queries.count(); ++s) pairs += queries.length(s) * keys.length(s);
  const std::vector<float> all = weights.to_host<float>();
  const Size heads = pairs > 0 ? std::ssize(all) / pairs : 1;
  Attention rows;
  const float* at = all.data();
  for (Size s = 0; s < queries.count(); ++s) {
    const Size nq = queries.length(s), nk = keys.length(s);
    for (Size i = 0; i < nq; ++i) {
      const Size visible = causal ? nk - nq + i + 1 : nk;
      std::vector<float>& row = rows.emplace_back(static_cast<std::size_t>(visible));
      for (Size h = 0; h < heads; ++h)
        for (Size j = 0; j < visible; ++j)
          row[static_cast<std::size_t>(j)] += at[(h * nq + i) * nk + j] / static_cast<float>(heads);
    }
    at += heads * nq * nk;
  }
  return rows;
}

}  // namespace

Attention rows_on(std::span<const std::int32_t> path, const Attention& nodes) {
  Attention rows;
  if (nodes.empty()) return rows;
  for (const std::int32_t node : path) rows.push_back(nodes[static_cast<std::size_t>(node)]);
  return rows;
}

Attention read_attention(const models::Seq2seq& network, const models::Decoded& decoded, const models::State& state,
                         const models::Memory& memory) {
  if (!decoded.weights.defined() || network.config().attention.linformer > 0) return {};
  return average_heads(decoded.weights, state.by_sentence(), memory.source.rows, false);
}

Attention read_past_attention(const models::Decoded& decoded, const models::State& state, const Segments& tokens) {
  if (!decoded.past_weights.defined()) return {};
  return average_heads(decoded.past_weights, tokens, state.past(), true);
}

}  // namespace dragoman::search
