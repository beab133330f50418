#include "search/source_text.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "search/times_of_day.h"
#include "text/language.h"

namespace dragoman::search {
namespace {

constexpr std::string_view kZeroWidthSpace = "\u200b";

bool has_zero_width_spaces(std::string_view language) {
  const text::Language known = text::language_of(language);
  return known != text::Language::english && known != text::Language::german;
}

std::vector<std::pair<text::Span, std::string>> plain_characters(std::string_view text, std::string_view language) {
  struct Change {
    std::string_view from, to;
  };
  constexpr std::array kChanges = std::to_array<Change>({{"\u00ad", ""},
                                                         {kZeroWidthSpace, ""},
                                                         {"\ufb00", "ff"},
                                                         {"\ufb01", "fi"},
                                                         {"\ufb02", "fl"},
                                                         {"\ufb03", "ffi"},
                                                         {"\ufb04", "ffl"},
                                                         {"\ufb05", "st"},
                                                         {"\ufb06", "st"}});
  constexpr std::string_view kFirstBytes = "\xc2\xe2\xef";
  std::vector<std::pair<text::Span, std::string>> changes;
  for (std::size_t at = text.find_first_of(kFirstBytes); at != text.npos; at = text.find_first_of(kFirstBytes, at + 1))
    for (const Change& change : kChanges) {
      if (!text.substr(at).starts_with(change.from)) continue;
      if (change.from == kZeroWidthSpace && has_zero_width_spaces(language)) continue;
      changes.emplace_back(
          text::Span{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + change.from.size())}, change.to);
    }
  return changes;
}

}  // namespace

text::MappedText read_source(std::string_view text, const text::LanguagePair& languages) {
  text::MappedText read(text);
  read.replace(plain_characters(text, languages.source));
  if (read.text().find_first_not_of(' ') == std::string::npos) return text::MappedText(text);
  const bool is_from_english = text::language_of(languages.source) == text::Language::english &&
                               text::language_of(languages.target) != text::Language::english;
  if (is_from_english && !languages.target.empty()) read.replace(to_24_hour_clock(read.text()));
  return read;
}

}  // namespace dragoman::search
