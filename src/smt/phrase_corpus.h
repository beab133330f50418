#pragma once

#include <cstdint>
#include <vector>

#include "align/alignment.h"
#include "smt/words.h"

namespace dragoman::smt {

// The word ids of all sentences of one language in one array.
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
  // Index of the sentence's first word in words().
  std::uint32_t offset(std::size_t sentence) const { return offsets_[sentence]; }
  const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  std::vector<std::uint32_t> words_, offsets_{0};
};

// Word-aligned sentence pairs as ids of text::Vocabulary.
struct PhraseCorpus {
  FlatSentences source, target;
  std::vector<align::Links> links;
};

}  // namespace dragoman::smt
