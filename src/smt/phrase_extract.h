#pragma once

#include <cstdint>
#include <functional>

#include "align/alignment.h"

namespace dragoman::smt {

// The longest phrases that phrase tables hold, in words.
constexpr int kMaxPhraseLength = 7;

// Where a phrase's neighbour in the translation comes from: the source words right beside it in the same order, right
// beside it in exchanged order, or from elsewhere.
enum class Orientation : std::uint8_t { monotone, swap, apart };

// Words [begin, end) of both sides that translate each other.
struct PhrasePair {
  std::uint32_t source_begin = 0, source_end = 0, target_begin = 0, target_end = 0;
  Orientation previous = Orientation::monotone;  // of the target phrase before this one
  Orientation next = Orientation::monotone;      // of the target phrase after this one
};

// Calls body for every pair of phrases of at most `max_length` words that is consistent with the links: no word of
// either phrase is linked to a word outside the other, and at least one link lies inside (Koehn, Och, Marcu 2003).
// Unlinked words at the borders may belong to a phrase or not, so all choices come.
void extract_phrases(std::uint32_t source_words, std::uint32_t target_words, const align::Links& links, int max_length,
                     const std::function<void(const PhrasePair&)>& body);

}  // namespace dragoman::smt
