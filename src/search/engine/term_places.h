#pragma once

#include <optional>
#include <span>

#include "search/decode/attention.h"
#include "text/tokenizer.h"

namespace dragoman::search {

// Where a term belongs in a translation that lacks it, in tokens of this translation.
struct TermPlace {
  std::size_t fixed = 0;  // tokens to keep: those before the preceding word, which may have to agree with the term
  std::size_t start = 0;  // where the term begins
};

// The place of a term is that of the word that attends most to its source, a span of the source text. `attention` is
// [target tokens][source tokens], and `words` has the word of each target token or -1 if it only begins the next one.
// The first `fixed` target tokens stay as they are. None if no word attends to the source.
std::optional<TermPlace> find_term_place(const Attention& attention, std::span<const text::Span> source_tokens,
                                         text::Span source, std::span<const int> words, std::size_t fixed);

// Moves a place back over tokens of the translation that begin the term, so that it is not begun twice. The first
// `fixed` tokens stay as they are.
void step_back(TermPlace& place, std::span<const std::int32_t> translation, std::span<const std::int32_t> term,
               std::size_t fixed);

}  // namespace dragoman::search
