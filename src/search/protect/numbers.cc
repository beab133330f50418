#include <algorithm>
#include <set>

#include "search/protect/protection.h"
#include "search/words.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

constexpr std::size_t kLongestNumber = 64;  // bytes; more are no number that a person reads
constexpr int kMostInWords = 12;            // up to here, numbers are often written as words
constexpr int kHours = 24;

bool is_digit_byte(char c) { return c >= '0' && c <= '9'; }
bool is_capital_byte(char c) { return c >= 'A' && c <= 'Z'; }
bool is_small_byte(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter_byte(char c) { return is_capital_byte(c) || is_small_byte(c); }

std::size_t end_of_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit_byte(text[at])) ++at;
  return at;
}

bool is_sign(char32_t code) {
  return code == '%' || code == '$' || (code >= 0x80 && text::classify(code) == text::CharClass::symbol);
}

using Groups = std::vector<std::string_view>;  // of digits: 1,234.5 has three

// Digits with the letters that adjoin them and with separators: 1,234.5, 15:30, 50bn, A120, 10.0.0.1.
struct NumberWord {
  std::size_t begin = 0, end = 0, last_digit = 0;  // in the text
  std::vector<Groups> numbers;                     // 1998-2003 are two
  std::string separators;                          // the first byte of each
  bool is_name = false;                            // letters come before digits, or all of them are capitals
  bool has_sign = false;                           // a symbol or a per-cent sign is directly before or after it
};

// The length of the separator that `text` begins with; 0 if there is none.
std::size_t separator_length(std::string_view text) {
  for (const std::string_view separator : {".", ",", "'", "-", ":", "/", "\u00a0", "\u2009", "\u202f"})
    if (text.starts_with(separator)) return separator.size();
  return 0;
}

// Whether a space at `at` groups the digits of a number: 14 000.
bool is_grouping_space(std::string_view text, std::size_t at, const NumberWord& word) {
  const std::string_view before = word.numbers.back().back();
  const bool is_first = word.separators.empty() && before.size() <= 3 && before.front() != '0';
  return text.substr(at).starts_with(' ') && end_of_digits(text, at + 1) == at + 4 &&
         (is_first || word.separators.ends_with(' '));
}

std::vector<NumberWord> find_number_words(std::string_view text, bool with_spaces) {
  constexpr std::string_view kDigits = "0123456789";
  std::vector<NumberWord> words;
  for (std::size_t at = text.find_first_of(kDigits); at != text.npos; at = text.find_first_of(kDigits, at)) {
    const std::size_t before = words.empty() ? 0 : words.back().end;
    NumberWord& word = words.emplace_back();
    word.begin = at;
    word.numbers.emplace_back();
    while (word.begin > before && is_letter_byte(text[word.begin - 1])) --word.begin;
    word.is_name = word.begin < at;
    for (;;) {
      word.last_digit = word.end = end_of_digits(text, at);
      word.numbers.back().push_back(text.substr(at, word.end - at));
      while (word.end < text.size() && is_letter_byte(text[word.end])) ++word.end;
      const bool has_letters = word.end > word.last_digit;
      const std::string_view rest = text.substr(word.end);
      const bool is_spaced = with_spaces && !has_letters && is_grouping_space(text, word.end, word);
      const std::size_t length = has_letters ? 0 : is_spaced ? 1 : separator_length(rest);
      if ((length == 0 && !has_letters) || end_of_digits(rest, length) == length) break;
      word.is_name = word.is_name || has_letters;
      if (has_letters || std::string_view("-:/").find(rest[0]) != std::string_view::npos) word.numbers.emplace_back();
      if (!has_letters) word.separators += rest[0];
      at = word.end + length;
    }
    at = word.end;
    word.has_sign = (word.begin > 0 && is_sign(text::code_point_before(text, word.begin).code)) ||
                    (at < text.size() && is_sign(text::code_point_at(text, at).code));
    const std::string_view all = text.substr(word.begin, word.end - word.begin);
    word.is_name = word.is_name || (std::any_of(all.begin(), all.end(), is_capital_byte) &&
                                    std::none_of(all.begin(), all.end(), is_small_byte));
  }
  return words;
}

std::string digits_of(const Groups& number) {
  std::string digits;
  for (const std::string_view group : number) digits += group;
  return digits;
}

// What a translation has of digits: its numbers, whole and in groups, with spaces between groups and without.
class DigitsOfTranslation {
 public:
  explicit DigitsOfTranslation(std::string_view text) {
    for (const bool with_spaces : {false, true})
      for (const NumberWord& word : find_number_words(text, with_spaces))
        for (const Groups& number : word.numbers) {
          all_.insert(digits_of(number));
          all_.insert(number.begin(), number.end());
        }
  }

  bool contain(std::string_view group) const { return all_.contains(group); }
  // Whether a number of the word is kept, as a whole or, if it may be taken apart, in groups. Beside a sign, as in 5%,
  // it is not written as a word.
  bool keep(const Groups& number, const NumberWord& word) const {
    if (all_.contains(digits_of(number))) return true;
    const bool may_change = number.size() == 1 ? !word.has_sign : may_be_date(number) || word.separators.ends_with(' ');
    return may_change &&
           std::all_of(number.begin(), number.end(), [this](std::string_view group) { return keeps_group(group); });
  }

 private:
  // Others may order and separate its parts in other ways: 31.12.25, 5.12.2025, 3.30.
  static bool may_be_date(const Groups& number) {
    const std::size_t last = number.back().size();
    return number.size() <= 3 && (last == 2 || (last == 4 && number.size() == 3));
  }
  // The group, or the hour by the other clock.
  bool keeps_group(std::string_view group) const {
    if (all_.contains(group)) return true;
    const int value = group.size() <= 3 ? std::stoi(std::string(group)) : kHours + 1;
    return value <= kMostInWords || (value <= kHours && all_.contains(std::to_string(value - kHours / 2)));
  }

  std::set<std::string, std::less<>> all_;
};

// Points and commas exchanged, if `text` is a number with groups of three digits or a fraction; else empty.
std::string with_other_separators(const NumberWord& word, std::string_view text) {
  const Groups& groups = word.numbers.front();
  const bool is_number =
      word.numbers.size() == 1 && !word.is_name && groups.size() > 1 &&
      std::all_of(groups.begin() + 1, groups.end() - 1, [](auto group) { return group.size() == 3; });
  const bool repeats = word.separators.size() > 1 && word.separators.back() == word.separators.front();
  if (!is_number || (repeats && groups.back().size() != 3)) return "";
  std::string other(text);
  for (char& c : other) c = c == '.' ? ',' : c == ',' ? '.' : c;
  return other == text ? "" : other;
}

}  // namespace

std::vector<LostPart> find_lost_numbers(std::string_view source, std::string_view translation,
                                        std::span<const Copy> copies) {
  std::vector<LostPart> lost;
  const DigitsOfTranslation digits(translation);
  std::vector<text::Span> others;
  for (const Copy& copy : copies) others.push_back(copy.span);
  for (const NumberWord& word : find_number_words(source, true)) {
    if (word.end - word.begin > kLongestNumber || overlaps(others, word.begin, word.end) ||
        std::all_of(word.numbers.begin(), word.numbers.end(),
                    [&](const Groups& number) { return digits.keep(number, word); }))
      continue;
    const std::string_view all = source.substr(word.begin, word.end - word.begin);
    const std::string_view text = word.is_name ? all : all.substr(0, word.last_digit - word.begin);
    lost.push_back({.source = std::string(all),
                    .target = std::string(text),
                    .other = with_other_separators(word, text),
                    .ending = word.is_name ? Ending::word : Ending::no_digit});
  }
  return lost;
}

bool loses_digits(std::string_view source, std::string_view before, std::string_view now) {
  const DigitsOfTranslation had(before), has(now);
  for (const NumberWord& word : find_number_words(source, false))
    for (const Groups& number : word.numbers)
      for (const std::string_view group : number)
        if (had.contain(group) && !has.contain(group)) return true;
  return false;
}

}  // namespace dragoman::search
