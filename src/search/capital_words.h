#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/tokenizer.h"

namespace dragoman::search {

// Changes that let a model read words in capitals. Words in capitals among others that are not get the letters in which
// the vocabulary knows them: "WARNING: hot" is read as "Warning: hot". An abbreviation stays, since the vocabulary has
// no word of its letters, or has it in capitals. In a text in capitals, units get capitals as well: "20kg OF APPLES".
std::vector<std::pair<text::Span, std::string>> read_capitals(std::string_view text, const text::Tokenizer& tokenizer);

}  // namespace dragoman::search
