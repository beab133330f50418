#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "text/language.h"
#include "text/tokenizer.h"

namespace dragoman::text {

// The sentences of a paragraph, without the spaces between them. A sentence ends with '.', '!', '?' or the equivalent
// in another script, plus closing quotes and brackets, if a space and a possible beginning of a sentence follow; but
// not after abbreviations, initials and (in German) ordinal numbers.
std::vector<Span> split_sentences(std::string_view paragraph, Language language = Language::generic);

// Splits `text` into as few parts as possible that all satisfy `fits`: at the ends of sentences if possible, else after
// commas and similar marks, else at spaces, else between any two characters.
std::vector<Span> split_to_fit(std::string_view text, const std::function<bool(std::string_view)>& fits,
                               Language language = Language::generic);

}  // namespace dragoman::text
