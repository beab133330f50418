#include "search/numbers.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/join.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

constexpr std::array<std::string_view, 2> kNarrowSpaces = {"\u00a0", "\u202f"};

// The length of a separator at the beginning of `text`; 0 if there is none.
std::size_t separator_length(std::string_view text, std::string_view others) {
  if (text.empty()) return 0;
  if (text[0] == '.' || text[0] == ',' || others.find(text[0]) != others.npos) return 1;
  for (const std::string_view space : kNarrowSpaces)
    if (text.starts_with(space)) return space.size();
  return 0;
}

}  // namespace

Separators Separators::of(std::string_view language) {
  constexpr std::array kPoint = std::to_array<std::string_view>({"en", "zh", "ja", "ko", "th", "he", "hi", "ms"});
  constexpr std::array kComma = std::to_array<std::string_view>(
      {"bg", "ca", "cs", "da", "de", "el", "es", "et", "fi", "fr", "gl", "hr", "hu", "id", "is", "it", "lt",
       "lv", "nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "tr", "uk", "vi"});
  const std::string primary = text::lower_case(language.substr(0, language.find_first_of("_-")));
  if (std::find(kPoint.begin(), kPoint.end(), primary) != kPoint.end()) return {',', '.'};
  if (std::find(kComma.begin(), kComma.end(), primary) != kComma.end()) return {'.', ','};
  return {};
}

std::string Number::digits() const { return join(groups, ""); }

std::vector<Number> numbers_of(std::string_view text, std::string_view others) {
  std::vector<Number> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_ascii_digit(text[at])) {
      ++at;
      continue;
    }
    Number& number = numbers.emplace_back();
    number.begin = at;
    for (;;) {
      const std::size_t begin = at;
      while (at < text.size() && is_ascii_digit(text[at])) ++at;
      number.groups.emplace_back(text.substr(begin, at - begin));
      number.end = at;
      const std::size_t length = separator_length(text.substr(at), others);
      if (length == 0 || at + length >= text.size() || !is_ascii_digit(text[at + length])) break;
      number.separators.emplace_back(text.substr(at, length));
      at += length;
    }
  }
  return numbers;
}

std::string rewritten(const Number& number, const Separators& from, const Separators& to) {
  std::string text = number.groups[0];
  bool is_grouped = false;
  for (std::size_t i = 1; i < number.groups.size(); ++i) {
    const std::string& separator = number.separators[i - 1];
    const bool is_last = i + 1 == number.groups.size();
    if (from.decimal != 0 && to.decimal != 0 && is_last && separator == std::string_view(&from.decimal, 1)) {
      text += to.decimal + number.groups[i];
      continue;
    }
    const bool groups = separator.size() > 1 || separator == std::string_view(&from.group, 1);
    if (from.group == 0 || to.group == 0 || !groups || number.groups[i].size() != 3) return "";
    text += to.group + number.groups[i];
    is_grouped = true;
  }
  return is_grouped && number.groups[0].size() > 3 ? "" : text;
}

}  // namespace dragoman::search
