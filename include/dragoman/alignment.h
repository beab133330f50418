#pragma once

#include <compare>
#include <cstdint>

namespace dragoman {

// Source word `source` and target word `target` translate each other. Words are counted from 0.
struct AlignmentLink {
  int source = 0, target = 0;
  auto operator<=>(const AlignmentLink&) const = default;
};

// Bytes [source_begin, source_end) of the source text and bytes [target_begin, target_end) of the translation translate
// each other: a word without its punctuation or, in a script without spaces, a character.
struct SpanLink {
  std::uint32_t source_begin = 0, source_end = 0, target_begin = 0, target_end = 0;
  auto operator<=>(const SpanLink&) const = default;
};

}  // namespace dragoman
