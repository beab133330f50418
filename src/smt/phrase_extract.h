#pragma once

#include <cstdint>
#include <functional>

#include "align/alignment.h"

namespace dragoman::smt {

// Maximum length of phrases in a phrase table, in words.
constexpr int kMaxPhraseLength = 7;

// Lexicalised reordering: the source position of a phrase relative to its neighbour in the target. The neighbour is
// adjacent in the same order (monotone), adjacent in reverse order (swap), or elsewhere (discontinuous).
enum class Orientation : std::uint8_t { monotone, swap, apart };

// Source words [source_begin, source_end) and target words [target_begin, target_end) that translate each other.
struct PhrasePair {
  std::uint32_t source_begin = 0, source_end = 0, target_begin = 0, target_end = 0;
  Orientation previous = Orientation::monotone;  // relative to the previous target phrase
  Orientation next = Orientation::monotone;      // relative to the next target phrase
};

// Calls body for every phrase pair of at most `max_length` words per side that is consistent with the alignment: no
// word of either phrase is aligned to a word outside the other, and there is at least one link inside (Koehn, Och,
// Marcu 2003). Unaligned words at the borders of a phrase may be included or not; all variants are extracted.
void extract_phrases(std::uint32_t source_words, std::uint32_t target_words, const align::Links& links, int max_length,
                     const std::function<void(const PhrasePair&)>& body);

}  // namespace dragoman::smt
