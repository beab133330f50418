#pragma once

#include <span>
#include <string>
#include <vector>

#include "align/lexicon.h"

namespace dragoman::align {

// The oldest way: every word becomes its likeliest translation, in the order of the source. A word the lexicon does not
// hold is looked up in lower case, then copied.
std::vector<std::string> translate_directly(const Lexicon& lexicon, std::span<const std::string> words);

}  // namespace dragoman::align
