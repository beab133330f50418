#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "eval/perplexity.h"
#include "search/engine/scorer.h"

namespace dragoman::run {

struct WordScore {
  std::string word;
  double log_probability;
};

// Log probabilities of words: the sums over their tokens. EOS counts as a word.
std::vector<WordScore> score_words(const search::Model& model, const search::PairScore& score);

// {"line", "log_probability", "tokens", "perplexity", "words"}, and with attention "source_tokens", "target_tokens",
// "attention" and "past_attention", as far as the model has them.
nlohmann::ordered_json to_json(std::uint64_t line, const search::Model& model, const search::PairScore& score);

// Called with each pair's score, in order; lines count from 1.
using OnScore = std::function<void(std::uint64_t line, const search::PairScore&)>;

// The files to score, and what to return or write besides scores.
struct ScoredFiles {
  std::string source, target;
  std::string alignments = "";  // file to write word alignments to; empty means none
  std::string to = "";          // the target language, for a model that translates into several
  std::string from = "";        // the source language, for a model that has to be told
  bool attention = false;       // also return the attention weights
};

// Scores the sentence pairs of two files, a window at a time.
eval::LogLikelihood score_files(const search::Model& model, const ScoredFiles& files, const OnScore& on_score);

}  // namespace dragoman::run
