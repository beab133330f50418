#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/translation_table.h"

namespace dragoman::align {

// A lexical shortlist (Jean et al. 2015): which target tokens a translation may consist of, given the tokens of the
// source. They are the most probable translations of each source token, and target tokens that many translations need
// beside these. Immutable, so threads may share one.
class Shortlist {
 public:
  // Tokens are ids below these sizes of the vocabularies.
  struct Vocabularies {
    std::int64_t source = 0, target = 0;
  };

  // No shortlist.
  Shortlist() = default;
  // The tokens for source token s are targets[begins[s]] .. targets[begins[s + 1]]. Throws Error unless there are
  // begins for all source tokens, they never decrease, and all tokens are in the target vocabulary.
  Shortlist(const Vocabularies& vocabularies, std::vector<std::int32_t> frequent, std::vector<std::int32_t> begins,
            std::vector<std::int32_t> targets);

  bool empty() const { return begins_.empty(); }
  // The target tokens for a sentence, in increasing order: those of its source tokens, the frequent ones and `more`.
  // All are in the vocabularies.
  std::vector<std::int32_t> choose(std::span<const std::int32_t> source, std::span<const std::int32_t> more) const;
  // The same without the frequent ones.
  std::vector<std::int32_t> choose_rare(std::span<const std::int32_t> source, std::span<const std::int32_t> more) const;

  const std::vector<std::int32_t>& frequent() const { return frequent_; }
  const std::vector<std::int32_t>& begins() const { return begins_; }
  const std::vector<std::int32_t>& targets() const { return targets_; }
  bool operator==(const Shortlist&) const = default;

 private:
  class Chosen;
  Chosen choose_by(std::span<const std::int32_t> source, std::span<const std::int32_t> more) const;

  std::int64_t target_vocabulary_ = 0;
  std::vector<std::int32_t> frequent_, begins_, targets_;
};

// A parallel corpus of tokens, from which a shortlist is made.
class TokenPairs {
 public:
  // Pairs with more tokens on a side are left out.
  explicit TokenPairs(std::size_t max_tokens);

  void add(std::span<const std::int32_t> source, std::span<const std::int32_t> target);
  const Bitext& bitext() const { return bitext_; }

  struct Choice {
    int best = 0;         // translations of each source token
    int frequent = 0;     // target tokens for all sentences
    bool copies = false;  // a source token may be written as it is: the vocabularies are the same
  };
  // Leaves out translations that are hardly probable. The tokens for all sentences are those that translations of the
  // corpus need most often but the tokens of their sources do not suggest. Ties are broken by the frequency, then by
  // the lower id. `table` was trained on bitext().
  Shortlist shortlist(const TranslationTable& table, const Shortlist::Vocabularies& vocabularies,
                      const Choice& choice) const;

 private:
  using Lists = std::vector<std::vector<std::int32_t>>;  // target tokens of each source token
  Lists translations(const TranslationTable& table, const Shortlist::Vocabularies& vocabularies,
                     const Choice& choice) const;
  std::vector<std::int32_t> missed(const Lists& lists, std::int64_t target_vocabulary, int count) const;

  Bitext bitext_;
};

}  // namespace dragoman::align
