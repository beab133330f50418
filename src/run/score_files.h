#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "eval/perplexity.h"
#include "search/scorer.h"

namespace dragoman::run {

struct WordScore {
  std::string word;
  double log_probability;
};

// Log probabilities of words: the sums over their tokens. EOS counts as a word.
std::vector<WordScore> score_words(const search::Model& model, const search::PairScore& score);

// {"line", "log_probability", "tokens", "perplexity", "words"}.
nlohmann::ordered_json to_json(std::uint64_t line, const search::Model& model, const search::PairScore& score);

// Called with each pair's score, in order; lines count from 1.
using OnScore = std::function<void(std::uint64_t line, const search::PairScore&)>;

// Scores the sentence pairs of two files, a window at a time. Writes word alignments to the file `alignments` unless it
// is empty.
eval::LogLikelihood score_files(const search::Model& model, const std::string& source, const std::string& target,
                                const std::string& alignments, const OnScore& on_score);

}  // namespace dragoman::run
