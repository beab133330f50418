#pragma once

#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace dragoman::search {

// The dates of a text that are written in digits with points: 31.12.2025.
std::vector<text::Span> find_dates(std::string_view text);

// Whether a translation contains the date as it is, with other marks (12/31/2025), or with the month as a word.
bool keeps_date(std::string_view translation, std::string_view date);

}  // namespace dragoman::search
