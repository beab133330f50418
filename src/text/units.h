#pragma once

#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace dragoman::text {

// Whether a character belongs to a script without spaces between words, such as Thai or Han.
bool is_written_without_spaces(char32_t code);

// The smallest stretch of text that alignments link: a word without its punctuation, a character of a script that is
// written without spaces, or a single punctuation mark or symbol.
struct Unit {
  Span span;
  bool is_word = false;  // rather than a punctuation mark or symbol
};

// The units of a text in order. Everything between them is space. The text must be shorter than 4 GiB.
std::vector<Unit> split_units(std::string_view text);

}  // namespace dragoman::text
