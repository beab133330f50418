#pragma once

#include <memory>
#include <span>
#include <vector>

#include "smt/coverage.h"
#include "smt/ngram_model.h"
#include "smt/phrase_features.h"
#include "smt/phrase_table.h"

namespace dragoman::smt {

// What a decoder needs to know; all outlive it.
struct PhraseModel {
  const PhraseTable* table = nullptr;
  const NgramModel* language_model = nullptr;  // may be missing
  Weights weights = default_weights();
  int options = 20;               // translations tried for each source phrase
  int length = kMaxPhraseLength;  // longest phrases used, on both sides
};

// A translation of source words [begin, end).
struct PhraseOption {
  std::uint32_t begin = 0, end = 0;
  PhraseEntry entry;
  bool copied = false;  // an unknown word that stays as it is
  double score = 0;     // weighted features that depend on nothing else
  double estimate = 0;  // the same with what the language model thinks of the words alone
};

// An unknown word costs this much, so that it is copied only where nothing else covers it.
constexpr double kCopyPenalty = -100;

// All translations of the phrases of one sentence, best first, and how much the best translation of any part of it may
// be expected to score.
class SentenceOptions {
 public:
  SentenceOptions(const PhraseModel& model, Words source);

  std::uint32_t words() const { return words_; }
  // Translations of `length` words from `begin` on.
  std::span<const PhraseOption> at(std::uint32_t begin, std::uint32_t length) const;
  // Expected score of all words that are not covered yet.
  double future(const Coverage& coverage) const;

 private:
  std::size_t place(std::uint32_t begin, std::uint32_t length) const {
    return std::size_t{begin} * kMaxPhraseLength + length - 1;
  }
  void collect(const PhraseModel& model, std::uint32_t begin, std::uint32_t length, std::uint64_t name);
  void copy_word(const PhraseModel& model, std::uint32_t begin);
  void rate(const PhraseModel& model, PhraseOption& option) const;
  void estimate_futures();

  std::uint32_t words_;
  std::vector<std::vector<PhraseOption>> options_;
  std::vector<double> window_;  // best score of the words from i on, 0 .. kWindow of them
  std::vector<double> tail_;    // best score of all words from i on
  std::vector<PhraseEntry> entries_;
};

}  // namespace dragoman::smt
