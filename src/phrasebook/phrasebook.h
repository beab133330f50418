#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// A bilingual English-German grammar inside the program: endless sentence pairs with no download.
namespace dragoman::phrasebook {

enum class Split : std::uint8_t { train, valid, test };

struct BilingualPhrase {
  std::string english, german;
};

// Pairs as a pure function of (seed, split, index). A pair belongs to a split by the hash of its English and by the
// hash of its German side, and only pairs whose two hashes agree exist, so no sentence of either language occurs in
// two splits, whatever the seed.
class Phrasebook {
 public:
  // `patterns` limits the sentences to those patterns; empty means all. An unknown name is an error.
  explicit Phrasebook(std::uint64_t seed, const std::vector<std::string>& patterns = {});

  // Throws Error when the chosen patterns are so few that none of their sentences belongs to the split.
  BilingualPhrase pair(Split split, std::uint64_t index) const;

  static std::vector<std::string> pattern_names();
  static int lemma_count();
  // The split a sentence of either language belongs to.
  static Split split_of(std::string_view sentence);

 private:
  std::uint64_t seed_;
  std::vector<int> chosen_;  // pattern numbers, each as often as its weight
};

// Hands out pairs of one split that all differ from each other.
class DistinctPairs {
 public:
  DistinctPairs(const Phrasebook& book, Split split);
  // Throws Error when nothing new has come for so long that the patterns must be used up.
  BilingualPhrase next();
  std::uint64_t count() const { return count_; }

 private:
  bool is_new(const BilingualPhrase& pair);
  const BilingualPhrase& draw();

  const Phrasebook& book_;
  Split split_;
  std::uint64_t index_ = 0, count_ = 0;
  std::vector<BilingualPhrase> drawn_;  // a block of pairs made by all threads; index_ walks through it
  std::vector<std::uint64_t> table_;    // open addressing; 0 is free
};

}  // namespace dragoman::phrasebook
