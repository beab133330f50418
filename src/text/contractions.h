#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/unicode.h"

namespace dragoman::text {

// English contractions written out: "don't" as "do not", "won't" as "will not", "it's" as "it is", "let's" as "let us";
// "can't" as "can not". Upper case is kept. A possessive 's stays: only after pronouns, question words, "there", "here"
// and "let" is it a verb. 'd is read as "would".
std::string expand_contractions(std::string_view text);

// What to replace where; the spans are in order.
std::vector<std::pair<Span, std::string>> find_contractions(std::string_view text);

}  // namespace dragoman::text
