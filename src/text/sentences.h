#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "text/language.h"
#include "text/tokenizer.h"

namespace dragoman::text {

// The sentences of a paragraph, without the spaces between them. A sentence ends with '.', '!', '?' or their
// counterparts in other scripts, closing quotes and brackets included, where a space and something that can begin a
// sentence follow; not after abbreviations, initials and (in German) ordinal numbers.
std::vector<Span> split_sentences(std::string_view paragraph, Language language = Language::generic);

// Parts of `text` that are all short enough, as few and as natural as possible: cut at sentence ends, failing that
// after commas and the like, failing that at spaces, failing that anywhere between characters.
std::vector<Span> split_to_fit(std::string_view text, const std::function<bool(std::string_view)>& fits,
                               Language language = Language::generic);

}  // namespace dragoman::text
