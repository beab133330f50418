#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/unicode.h"

namespace dragoman::text {

// Expands English contractions: "don't" to "do not", "won't" to "will not", "it's" to "it is", "let's" to "let us",
// "can't" to "can not". Keeps upper case. 's is expanded only after pronouns, question words, "there", "here" and
// "let", because elsewhere it is a possessive. 'd becomes "would".
std::string expand_contractions(std::string_view text);

// The replacements, in order of their spans.
std::vector<std::pair<Span, std::string>> find_contractions(std::string_view text);

}  // namespace dragoman::text
