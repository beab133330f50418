#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dragoman/scorer.h"
#include "search/decode/attention.h"
#include "search/engine/model.h"

namespace dragoman::search {

// The probability of a given translation.
struct PairScore {
  std::vector<float> log_probabilities;  // one per target token; the last is for EOS
  Tokens target;                         // those tokens
  std::vector<AlignmentLink> alignment;  // each target word with the source word it attended to most; if asked for
  // With ScoringOptions::attention: the source tokens with their marks, and for each target token the weights over them
  // and over the decoder's past (search/decode/attention.h). Empty if the model has no such attention.
  Tokens source{};
  Attention attention{}, past_attention{};

  double sum() const;
};

struct ScoringOptions {
  bool alignment = false;
  bool attention = false;
  int threads = 0;                                         // at most this many; 0 means all threads of the process
  std::string to = "", from = "";                          // the languages, as in SearchOptions
  std::uint64_t first_line = 1;                            // the line number of the first pair, for errors
  std::function<void(std::size_t)> advance = [](auto) {};  // called with the number of pairs just done, from any thread
};

// Scores of all pairs, in order. Throws Error if a pair is longer than the model can take, or if alignments are asked
// for and the model has no attention to single source tokens.
std::vector<PairScore> score_pairs(const Model& model, const std::vector<SentencePair>& pairs,
                                   const ScoringOptions& options = {});

}  // namespace dragoman::search
