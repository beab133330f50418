#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/language_tags.h"

namespace dragoman::search {

// A number with the sign beside it, as the source and as the target language writes them.
struct SignedNumber {
  std::string source, target;
};

// What a translation to English or German lacks of the signs beside numbers, each sign once: $ € £ ¥ % ‰ § ± °, powers
// (m²) and fractions (½). A sign may also be a word: $5 as 5 Dollar. Amounts in millions and ranges are left to the
// model. Numbers that overlap with `others`, spans in order, are none.
std::vector<SignedNumber> lost_signs(std::string_view source, std::string_view translation,
                                     const text::LanguagePair& languages, const std::vector<text::Span>& others);

}  // namespace dragoman::search
