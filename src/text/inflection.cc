#include "text/inflection.h"

#include <algorithm>
#include <array>

namespace dragoman::text {
namespace {

constexpr std::array kEnglishEndings = std::to_array<std::string_view>({"d", "ed", "es", "ing", "s"});
constexpr std::array kGermanEndings =
    std::to_array<std::string_view>({"e", "em", "en", "er", "ern", "es", "n", "nen", "s", "se", "sen"});
// Of derivation: with these, a word has another meaning.
constexpr std::array kGermanSuffixes = std::to_array<std::string_view>(
    {"chen", "haft", "heit", "innen", "isch", "keit", "lein", "lich", "los", "schaft", "tum", "ung"});
constexpr std::size_t kShortestWord = 3;  // bytes of a part of a compound

template <std::size_t n>
bool is_among(const std::array<std::string_view, n>& list, std::string_view letters) {
  return std::find(list.begin(), list.end(), letters) != list.end();
}

}  // namespace

bool is_inflection(Language language, std::string_view letters) {
  switch (language) {
    case Language::english: return is_among(kEnglishEndings, letters);
    case Language::german: return is_among(kGermanEndings, letters);
    default: return false;
  }
}

bool completes_compound(Language language, std::string_view letters) {
  return language == Language::german && letters.size() >= kShortestWord && !is_inflection(language, letters) &&
         std::none_of(kGermanSuffixes.begin(), kGermanSuffixes.end(),
                      [&](std::string_view suffix) { return letters.starts_with(suffix); });
}

}  // namespace dragoman::text
