#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dragoman/translator.h"
#include "search/model.h"

namespace dragoman::search {

// How likely a model finds a given translation.
struct PairScore {
  std::vector<float> log_probabilities;  // of each target token, the end mark last
  Tokens target;                         // the same tokens
  std::vector<AlignmentLink> alignment;  // each target word with the source word it attended to most; if asked for

  double sum() const;
};

struct TextPair {
  std::string source, target;
};

struct ScoringOptions {
  bool alignment = false;
  std::uint64_t first_line = 1;                            // the number of the first pair, for errors
  std::function<void(std::size_t)> advance = [](auto) {};  // told how many pairs are done, from any thread
};

// Scores of all pairs, in order. Fails on a pair that is longer than the model can take, and on a model that cannot
// tell alignments where they are asked for.
std::vector<PairScore> score_pairs(const Model& model, const std::vector<TextPair>& pairs,
                                   const ScoringOptions& options = {});

}  // namespace dragoman::search
