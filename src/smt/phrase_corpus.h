#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/alignment.h"

namespace dragoman::smt {

using Words = std::span<const std::uint32_t>;

// Word numbers of all sentences of one language, one behind the other.
class FlatSentences {
 public:
  void add(Words sentence) {
    words_.insert(words_.end(), sentence.begin(), sentence.end());
    offsets_.push_back(static_cast<std::uint32_t>(words_.size()));
  }
  std::size_t size() const { return offsets_.size() - 1; }
  Words operator[](std::size_t sentence) const {
    return Words(words_).subspan(offsets_[sentence], offsets_[sentence + 1] - offsets_[sentence]);
  }
  // Where the sentence starts among all words.
  std::uint32_t offset(std::size_t sentence) const { return offsets_[sentence]; }
  const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  std::vector<std::uint32_t> words_, offsets_{0};
};

// Sentence pairs as word numbers of text::Vocabulary, with the links between their words.
struct PhraseCorpus {
  FlatSentences source, target;
  std::vector<align::Links> links;
};

}  // namespace dragoman::smt
