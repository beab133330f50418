#pragma once

#include <cstdint>
#include <string>

#include "align/em_training.h"
#include "data/corpus.h"

namespace dragoman::run {

// Which words a lexical shortlist contains, and the parallel text to learn it from.
struct ShortlistOptions {
  std::string output;
  int best = 100, frequent = 1000;
  data::CorpusOptions corpus;
  data::ReadingOptions reading;
  std::int64_t pairs = 500'000;
  int max_tokens = 200;
  align::EmOptions train;

  template <class V>
  void visit(V& v) {
    v.section("Shortlist");
    v("output", output, "the model file to write: the same model with a shortlist");
    v("best", best, "translations of each source token, the most probable ones", between(1, 10'000));
    v("frequent", frequent,
      "target tokens that every sentence may use: those that translations need most often beside these",
      between(0, 1'000'000));
    v.section("Text to learn from");
    corpus.visit_files(v);
    corpus.visit_columns(v);
    v("pairs", pairs, "learn from at most this many pairs, drawn from all of the text", between(1, 100'000'000));
    v("max-tokens", max_tokens, "leave out pairs with more tokens on a side", between(1, 5000));
    reading.visit(v);
    v.section("Alignment");
    train.visit(v);
  }
};

// How well a shortlist fits pairs of the text from which it was not learned.
struct ShortlistFit {
  std::size_t pairs = 0;  // 0 if the text has one pair only
  double words = 0;       // tokens on the list of a sentence, on average
  double coverage = 0;    // the share of known target tokens that are on the list of their sentence
  int vocabulary = 0;     // target tokens of the model
};

// Aligns a parallel text in the tokens of the model, and writes a copy of the model with the shortlist that follows.
ShortlistFit make_shortlist(const std::string& model, const ShortlistOptions& options);

}  // namespace dragoman::run
