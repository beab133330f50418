#pragma once

#include <span>
#include <string>
#include <vector>

#include "align/lexicon.h"

namespace dragoman::align {

// Word-for-word translation: replaces each word by its most probable translation and keeps the source order. A word
// missing from the lexicon is looked up in lower case, then copied.
std::vector<std::string> translate_directly(const Lexicon& lexicon, std::span<const std::string> words);

}  // namespace dragoman::align
