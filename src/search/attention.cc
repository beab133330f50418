#include "search/attention.h"

namespace dragoman::search {

Attention read_attention(const models::Seq2seq& network, const models::Decoded& decoded, const models::State& state,
                         const models::Memory& memory) {
  if (!decoded.weights.defined() || network.config().attention.linformer > 0) return {};
  const Segments &queries = state.by_sentence(), &keys = memory.source.rows;
  Size pairs = 0;
  for (Size s = 0; s < queries.count(); ++s) pairs += queries.length(s) * keys.length(s);
  const std::vector<float> all = decoded.weights.to_host<float>();
  const Size heads = pairs > 0 ? std::ssize(all) / pairs : 1;
  Attention rows;
  const float* at = all.data();  // per sentence [heads, nq, nk]
  for (Size s = 0; s < queries.count(); ++s) {
    const Size nq = queries.length(s), nk = keys.length(s);
    for (Size i = 0; i < nq; ++i) {
      std::vector<float>& row = rows.emplace_back(static_cast<std::size_t>(nk));
      for (Size h = 0; h < heads; ++h)
        for (Size j = 0; j < nk; ++j)
          row[static_cast<std::size_t>(j)] += at[(h * nq + i) * nk + j] / static_cast<float>(heads);
    }
    at += heads * nq * nk;
  }
  return rows;
}

}  // namespace dragoman::search
