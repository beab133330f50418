#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/language.h"

namespace dragoman::text {

// Whether a space precedes each token in running text. Follows the language's punctuation rules and keeps track of open
// quotation marks.
std::vector<bool> spaces_before(std::span<const std::string_view> tokens, Language language);

// The detokenizer: joins tokens into running text.
std::string join_words(std::span<const std::string_view> tokens, Language language);

}  // namespace dragoman::text
