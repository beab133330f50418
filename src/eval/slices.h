#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eval/bleu_tokenizers.h"
#include "eval/metric.h"

// Scores of parts of a test set.
namespace dragoman::eval {

struct Slice {
  std::string name;                    // "11-20 words"
  std::vector<std::size_t> sentences;  // line numbers from 0
};

// Slices by the number of words of the first reference. Empty slices are omitted, here and below.
std::vector<Slice> slices_by_length(const Lines& references, BleuTokenizer tokenizer);

// Word frequencies of a training text.
class WordFrequencies {
 public:
  explicit WordFrequencies(BleuTokenizer tokenizer) : tokenizer_(tokenizer) {}
  // Counts the words of a line.
  void add(std::string_view line);
  std::int64_t operator[](const std::string& word) const;

 private:
  BleuTokenizer tokenizer_;
  std::unordered_map<std::string, std::int64_t> counts_;
};

// Slices by the training frequency of the rarest word of the first reference.
std::vector<Slice> slices_by_rarest_word(const Lines& references, const WordFrequencies& frequencies,
                                         BleuTokenizer tokenizer);

// Translation quality of the words of one frequency class: words in common between a hypothesis and its first
// reference, each counted as often as it occurs in both.
struct WordClass {
  std::string name;  // "seen 1-9 times"
  std::int64_t in_reference = 0, in_hypothesis = 0, common = 0;

  double precision() const;
  double recall() const;
  double f1() const;
};
std::vector<WordClass> word_classes(const Lines& hypotheses, const Lines& references,
                                    const WordFrequencies& frequencies, BleuTokenizer tokenizer);

}  // namespace dragoman::eval
