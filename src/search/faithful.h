#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/constraints.h"
#include "text/language_tags.h"

// Faults of a translation that can be seen in it: numbers that are missing, and tokens that are repeated without end.
namespace dragoman::search {

// The numbers that a translation lacks, as the source and as the target language writes them: 1,234.5 of English is
// 1.234,5 in German. Only numbers without separators are sought if a language is not known. A number with an ending
// (50bn, 777s) comes with it in the source and without it in the target; a word of capitals and digits (A120) is the
// same in both. What may change in a translation does not count: numbers up to twelve (words), dates, times of day.
std::vector<std::pair<std::string, std::string>> lost_numbers(std::string_view source, std::string_view translation,
                                                              const text::LanguagePair& languages);

// The shortest tokens that follow themselves three times or more; empty if there are none.
Tokens find_loop(std::span<const std::int32_t> ids);
// How many times in a row `loop` is in `ids`, at most.
std::size_t times_in_a_row(std::span<const std::int32_t> loop, std::span<const std::int32_t> ids);

// Whether the repetition of `loop` is a fault of the translation of `source`. The digits of a number may follow
// themselves, and so may marks if some do in the source, such as a line of dots.
bool is_fault(std::string_view loop, std::string_view source);

}  // namespace dragoman::search
