#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "smt/phrase_corpus.h"

namespace dragoman::smt {

// Word translation probabilities: relative frequencies of alignment links, in both directions. An unaligned word counts
// as aligned to NULL (kNoWord).
class LinkLexicon {
 public:
  static constexpr std::uint32_t kNoWord = 0xFFFFFFFFu;

  LinkLexicon(const PhraseCorpus& corpus, std::uint32_t source_vocabulary, std::uint32_t target_vocabulary);

  // w(target | source) and w(source | target); either may be kNoWord.
  double direct(std::uint32_t source, std::uint32_t target) const;
  double inverse(std::uint32_t source, std::uint32_t target) const;

 private:
  void add(std::uint32_t source, std::uint32_t target);

  std::unordered_map<std::uint64_t, std::uint32_t> counts_;
  std::vector<std::uint32_t> source_totals_, target_totals_;  // the last entry belongs to kNoWord
};

// Lexical weights of a phrase pair (Koehn, Och, Marcu 2003): the product over all words of the mean probability over
// the words they are aligned to.
struct LexicalWeights {
  double direct = 1;   // of the target words given the source words
  double inverse = 1;  // of the source words given the target words
};

// `inside` are the links inside the phrase pair, relative to the beginnings of the phrases.
LexicalWeights lexical_weights(const LinkLexicon& lexicon, Words source, Words target, const align::Links& inside);

}  // namespace dragoman::smt
