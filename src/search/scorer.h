#pragma once

#include <functional>
#include <string>
#include <vector>

#include "search/model.h"

namespace dragoman::search {

// How likely a model finds a given translation.
struct PairScore {
  std::vector<float> log_probabilities;  // of each target token, the end mark last
  Tokens target;                         // the same tokens

  double sum() const;
};

struct TextPair {
  std::string source, target;
};

// Scores of all pairs, in order; fails on a pair that is longer than the model can take, naming its number from
// `first_line`. `advance` is told how many pairs are done, from any thread.
std::vector<PairScore> score_pairs(const Model& model, const std::vector<TextPair>& pairs, std::uint64_t first_line,
                                   const std::function<void(std::size_t)>& advance);

}  // namespace dragoman::search
