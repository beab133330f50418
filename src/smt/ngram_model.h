#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "smt/ngram_estimate.h"

namespace dragoman::smt {

// What a language model must know of the words before: the longest end of them that some n-gram starts with.
struct NgramState {
  std::array<std::uint32_t, kMaxNgramOrder - 1> words{};  // the last word first
  std::array<float, kMaxNgramOrder - 1> backoffs{};       // of the last word, the last two, ...
  std::uint32_t length = 0;

  // Equal states give every continuation the same probability.
  bool operator==(const NgramState& other) const {
    if (length != other.length) return false;
    for (std::uint32_t i = 0; i < length; ++i)
      if (words[i] != other.words[i]) return false;
    return true;
  }
};

// A backoff n-gram model in hash tables of eight bytes an n-gram: 32 bits that tell it from others in its place, its
// probability and its backoff weight on 16 bits each. Values are base 10 logarithms, rounded to steps of 2e-4; a word
// sequence that was never seen is taken for one that was with a chance near 1 in 10^9.
class NgramModel {
 public:
  // Of finished estimates.
  static NgramModel build(NgramEstimator& estimates);

  int order() const { return static_cast<int>(tables_.size()) + 1; }
  std::uint64_t count(int n) const { return counts_[static_cast<std::size_t>(n - 1)]; }
  std::size_t bytes() const;

  // The state at the beginning of a sentence.
  const NgramState& begin() const { return begin_; }
  // log10 P(word | state), and the state after it. `next` may not be `state`.
  float score(const NgramState& state, std::uint32_t word, NgramState& next) const;

  std::string serialize() const;
  static NgramModel deserialize(std::string_view bytes);

 private:
  friend class NgramModelBuilder;

  // Of one order above 1; a slot is 32 bits of hash, probability, backoff.
  struct Table {
    std::vector<std::uint64_t> slots;
    void insert(std::uint64_t hash, std::uint32_t value);
    // False when the n-gram is not there.
    bool find(std::uint64_t hash, std::uint32_t& value) const;
  };

  NgramModel() = default;
  void find_begin();

  std::vector<std::uint32_t> unigrams_;
  std::vector<Table> tables_;
  std::vector<std::uint64_t> counts_;
  NgramState begin_;
};

// Fills a model n-gram by n-gram, shorter ones first.
class NgramModelBuilder {
 public:
  // counts[n - 1] n-grams of order n will come.
  NgramModelBuilder(std::uint32_t vocabulary_size, const std::vector<std::uint64_t>& counts);

  // `backoff` counts only where `is_context`. Gives false where a shorter n-gram that the model needs did not come.
  bool add(NgramWords words, double log10_probability, double log10_backoff, bool is_context);
  NgramModel finish();

 private:
  NgramModel model_;
};

}  // namespace dragoman::smt
