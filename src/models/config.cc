#include "models/config.h"

#include "models/families.h"

namespace dragoman::models {

void check_config(const ModelConfig& config) {
  family_of(config).check(config);
  const int positions = family_of(config).max_positions(config);
  check(
      positions == kNoLimit || std::int64_t{positions} * config.embedding <= kLargestPositionTable,
      "max-positions {} of size {} is a table of more than {} numbers; use fewer, or rotary positions, which need none",
      positions, config.embedding, kLargestPositionTable);
  check(config.tied != Tie::all || config.source_vocabulary == config.target_vocabulary,
        "tied all needs one vocabulary for both sides, but their sizes are {} and {}", config.source_vocabulary,
        config.target_vocabulary);
  check(config.tied == Tie::none || !config.lexical,
        "lexical widens the output layer, so it cannot be tied to the embeddings; use tied none");
  check(config.classes == 0 || !config.lexical, "lexical is a part of translation; a classifier has none");
}

}  // namespace dragoman::models
