#pragma once

#include <string_view>

#include "text/language_tags.h"
#include "text/unicode.h"

namespace dragoman::search {

// A text as models read it, and where its bytes come from. Soft hyphens are dropped, and zero-width spaces where the
// language has none; ligatures (ﬁ) become letters. English times with a.m. and p.m. are converted to the
// 24-hour clock: models that learned from little text confuse the halves of the day.
text::MappedText read_source(std::string_view text, const text::LanguagePair& languages);

}  // namespace dragoman::search
