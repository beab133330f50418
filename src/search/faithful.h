#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/translator.h"
#include "search/constraints.h"
#include "text/language_tags.h"

// Faults of a translation that can be seen in it: parts of the source that are missing, and tokens that are repeated
// without end.
namespace dragoman::search {

// Whether translations are checked and searched for again (SearchOptions::faithful).
inline bool is_checked(const SearchOptions& options) { return options.faithful && !options.sample; }

// What a translation lacks, as the source and as the target language writes it.
struct LostPart {
  std::string source, target;
  Ending ending = Ending::any;  // of the target

  bool operator==(const LostPart&) const = default;
};

// Parts that must be copied (find_copied), times of day (find_times), dates (find_dates) and numbers: 1,234.5 of
// English is 1.234,5 in German. Only numbers without separators are sought if a language is not known. A number with an
// ending (50bn, 777s) comes with it in the source and without it in the target; a word of capitals and digits (A120) is
// the same in both. What may change in a translation does not count: numbers up to twelve (words), full hours up to
// twelve.
std::vector<LostPart> lost_parts(std::string_view source, std::string_view translation,
                                 const text::LanguagePair& languages);

// Whether a translation that lacks `now` is better than one that lacks `before`: it lacks fewer parts and no other
// ones.
bool lacks_less(std::span<const LostPart> now, std::span<const LostPart> before);

// The shortest tokens that follow themselves three times or more; empty if there are none.
Tokens find_loop(std::span<const std::int32_t> ids);
// How many times in a row `loop` is in `ids`, at most.
std::size_t times_in_a_row(std::span<const std::int32_t> loop, std::span<const std::int32_t> ids);
// Whether a loop is more than half of `ids`.
bool is_mostly_loop(std::span<const std::int32_t> ids);

// Whether the repetition of `loop` is a fault of the translation of `source`. The digits of a number may follow
// themselves, and so may marks if some do in the source, such as a line of dots.
bool is_fault(std::string_view loop, std::string_view source);

}  // namespace dragoman::search
