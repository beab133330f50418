#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "smt/ngram_estimate.h"

namespace dragoman::smt {

// The language model's state: the longest suffix of the history that is the context of some n-gram.
struct NgramState {
  std::array<std::uint32_t, kMaxNgramOrder - 1> words{};  // last word first
  std::array<float, kMaxNgramOrder - 1> backoffs{};       // of the last word, of the last two, ...
  std::uint32_t length = 0;

  // Equal states give equal probabilities to every continuation.
  bool operator==(const NgramState& other) const {
    if (length != other.length) return false;
    for (std::uint32_t i = 0; i < length; ++i)
      if (words[i] != other.words[i]) return false;
    return true;
  }
};

// A backoff n-gram model in hash tables, 8 bytes per n-gram: a 32-bit fingerprint, and 16 bits each for probability and
// backoff weight (base 10 logarithms in steps of 2e-4). The chance that an unseen n-gram is taken for a seen one is
// about 1 in 10^9.
class NgramModel {
 public:
  // `estimates` must be finished.
  static NgramModel build(NgramEstimator& estimates);

  int order() const { return static_cast<int>(tables_.size()) + 1; }
  std::uint64_t count(int n) const { return counts_[static_cast<std::size_t>(n - 1)]; }
  std::size_t bytes() const;
  // Size of the vocabulary, including the special words.
  std::uint32_t words() const { return static_cast<std::uint32_t>(unigrams_.size()); }

  // The state at the beginning of a sentence.
  const NgramState& begin() const { return begin_; }
  // log10 P(word | state) and the state after `word`. `next` must not alias `state`.
  float score(const NgramState& state, std::uint32_t word, NgramState& next) const;

  std::string serialize() const;
  static NgramModel deserialize(std::string_view bytes);

 private:
  friend class NgramModelBuilder;

  // The n-grams of one order above 1; a slot holds 32 bits of hash, the probability and the backoff weight.
  struct Table {
    std::vector<std::uint64_t> slots;
    // Makes room for `count` n-grams.
    void reserve(std::uint64_t count);
    // Fails if more slots in a row are full than a search may look at.
    void check_runs(std::size_t order) const;
    void insert(std::uint64_t hash, std::uint32_t value);
    // False if the n-gram is missing.
    bool find(std::uint64_t hash, std::uint32_t& value) const;
  };

  NgramModel() = default;
  void find_begin();

  std::vector<std::uint32_t> unigrams_;
  std::vector<Table> tables_;
  std::vector<std::uint64_t> counts_;
  NgramState begin_;
};

// Builds a model n-gram by n-gram, lower orders first.
class NgramModelBuilder {
 public:
  NgramModelBuilder(std::uint32_t vocabulary_size, std::size_t order);

  // Optional, before the n-grams of order n > 1 are added: their exact number. Without it, they are first collected in
  // a list, which takes memory but needs no number that could be wrong.
  void expect(std::size_t n, std::uint64_t count) { model_.tables_[n - 2].reserve(count); }
  // `log10_backoff` is used only if `is_context`. Returns false if a lower-order n-gram that the model needs is
  // missing.
  bool add(Words words, double log10_probability, double log10_backoff, bool is_context);
  NgramModel finish();

 private:
  struct Pending {
    std::uint64_t hash;
    std::uint32_t value;
  };
  // Moves the collected n-grams to their table.
  void close_order();

  NgramModel model_;
  std::vector<Pending> pending_;
  std::size_t order_ = 1;  // of the n-gram added last
};

}  // namespace dragoman::smt
