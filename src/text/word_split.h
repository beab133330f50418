#pragma once

#include <string_view>
#include <vector>

#include "text/language.h"
#include "text/tokenizer.h"

namespace dragoman::text {

// A token of a line: its bytes, and whether it follows the one before it without a space.
struct WordSpan {
  Span span;
  bool tight = false;
};

// Cuts a line into words, numbers, addresses and punctuation by a language's rules. Combining marks stay with the
// character they belong to. Spaces fall away; no-break spaces stay with the punctuation or number they bind to.
std::vector<WordSpan> split_words(std::string_view line, Language language);

// The same, except that tokens which join_words would write apart although the line has them together stay in one
// piece: what remains can be written back.
std::vector<WordSpan> split_words_joinable(std::string_view line, Language language);

}  // namespace dragoman::text
