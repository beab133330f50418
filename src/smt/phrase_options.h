#pragma once

#include <memory>
#include <span>
#include <vector>

#include "smt/coverage.h"
#include "smt/ngram_model.h"
#include "smt/phrase_features.h"
#include "smt/phrase_table.h"

namespace dragoman::smt {

// The model that a decoder uses; its parts must outlive it.
struct PhraseModel {
  const PhraseTable* table = nullptr;
  const NgramModel* language_model = nullptr;  // may be null
  Weights weights = default_weights();
  int options = 20;               // translations to try per source phrase
  int length = kMaxPhraseLength;  // maximum phrase length, on both sides
};

// A translation of source words [begin, end).
struct PhraseOption {
  std::uint32_t begin = 0, end = 0;
  PhraseEntry entry;
  bool copied = false;  // an unknown word, copied to the output
  double score = 0;     // weighted features that do not depend on the context
  double estimate = 0;  // `score` plus the language model's score of the words without context
};

// Score of copying an unknown word; low enough that words are copied only where no phrase covers them.
constexpr double kCopyPenalty = -100;

// The translation options of one sentence, best first, and the future cost estimates of its parts.
class SentenceOptions {
 public:
  SentenceOptions(const PhraseModel& model, Words source);

  std::uint32_t words() const { return words_; }
  // Translations of the `length` words from `begin`.
  std::span<const PhraseOption> at(std::uint32_t begin, std::uint32_t length) const;
  // Future cost estimate: the expected score of all uncovered words.
  double future(const Coverage& coverage) const;
  // Whether the words around word `at` are hardly more than a few words repeated again and again, as in a line of
  // commas. No sentence is; there, the order of words and the choice of phrases matter little.
  bool is_repetitive(std::uint32_t at) const { return repetitive_[at]; }

 private:
  std::size_t place(std::uint32_t begin, std::uint32_t length) const {
    return std::size_t{begin} * kMaxPhraseLength + length - 1;
  }
  void collect(const PhraseModel& model, std::uint32_t begin, std::uint32_t length, std::uint64_t hash);
  void copy_word(const PhraseModel& model, std::uint32_t begin);
  void rate(const PhraseModel& model, PhraseOption& option) const;
  void estimate_futures();
  void find_repetitions(Words source);

  std::uint32_t words_;
  std::vector<std::vector<PhraseOption>> options_;
  std::vector<double> window_;    // best score of words i .. i + n - 1, n = 0 .. kWindow
  std::vector<double> tail_;      // best score of all words from i
  std::vector<bool> repetitive_;  // [words + 1]
  std::vector<PhraseEntry> entries_;
};

}  // namespace dragoman::smt
