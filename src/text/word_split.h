#pragma once

#include <string_view>
#include <vector>

#include "text/language.h"
#include "text/tokenizer.h"

namespace dragoman::text {

// A token of a line: its bytes, and whether no space separates it from the previous token.
struct WordSpan {
  Span span;
  bool tight = false;
};

// Splits a line into words, numbers, addresses and punctuation by a language's rules. Combining marks stay with their
// base characters. Spaces are dropped, except that no-break spaces stay with the punctuation or number they belong to.
std::vector<WordSpan> split_words(std::string_view line, Language language);

// The same, but keeps tokens together that join_words() would separate by a space, so that the result can be
// detokenised.
std::vector<WordSpan> split_words_joinable(std::string_view line, Language language);

}  // namespace dragoman::text
