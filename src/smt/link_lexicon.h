#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "smt/phrase_corpus.h"

namespace dragoman::smt {

// How the words of linked sentences translate: relative frequencies of links, in both directions. A word without a link
// counts as linked to no word.
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
  std::vector<std::uint32_t> source_totals_, target_totals_;  // the last entry is kNoWord's
};

// Lexical weights of a phrase pair (Koehn, Och, Marcu 2003): every word is explained by the mean of the words it is
// linked to.
struct LexicalWeights {
  double direct = 1;   // of the target words given the source words
  double inverse = 1;  // of the source words given the target words
};

// `inside` are the links between the two phrases, counted from their beginnings.
LexicalWeights lexical_weights(const LinkLexicon& lexicon, Words source, Words target, const align::Links& inside);

}  // namespace dragoman::smt
