#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/language.h"

namespace dragoman::text {

// For each token whether a space stands before it when the tokens are written as running text. Follows how a language
// writes punctuation and which quotation marks are open.
std::vector<bool> spaces_before(std::span<const std::string_view> tokens, Language language);

// The detokenizer: tokens as running text.
std::string join_words(std::span<const std::string_view> tokens, Language language);

}  // namespace dragoman::text
