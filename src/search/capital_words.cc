#include "search/capital_words.h"

#include <algorithm>
#include <array>

#include "search/surface.h"
#include "search/words.h"
#include "text/signs.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

using Changes = std::vector<std::pair<text::Span, std::string>>;

// Shorter ones are abbreviations, even where their letters are a syllable that is a token, but for some that people
// emphasise.
constexpr std::size_t kShortestWord = 4;  // letters
constexpr std::array kEmphasised = std::to_array<std::string_view>(
    {"ALL", "AND", "ANY", "BUT", "DO", "NIE", "NO", "NOT", "NOW", "NUR", "THE", "UND", "YOU"});

text::Span span_of(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

bool is_one_token(const text::Tokenizer& tokenizer, const std::string& word) {
  return spell_in_sentence(tokenizer, word).ids.size() == 1;
}

bool has_small_letter(std::string_view text) {
  const std::vector<char32_t> codes = text::code_points(text);
  return std::any_of(codes.begin(), codes.end(), [](char32_t code) { return text::is_lower(code); });
}

// The end of the capitals that begin at `at`, or `at` if other letters or digits follow.
std::size_t end_of_capitals(std::string_view text, std::size_t at) {
  std::size_t end = at, count = 0;
  while (end < text.size() && text::is_upper(text::code_point_at(text, end).code)) {
    end += text::code_point_at(text, end).length;
    ++count;
  }
  const bool is_emphasised =
      std::find(kEmphasised.begin(), kEmphasised.end(), text.substr(at, end - at)) != kEmphasised.end();
  return (count >= kShortestWord || is_emphasised) && stands_alone(text, at, end) ? end : at;
}

// Whether there are spaces or punctuation around bytes [begin, end): A-1 and %NAME% are no words.
bool is_between_words(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::string_view kBefore = " \t(\"'", kAfter = " \t.,:;!?)\"'";
  return (begin == 0 || kBefore.find(text[begin - 1]) != kBefore.npos) &&
         (end == text.size() || kAfter.find(text[end]) != kAfter.npos);
}

// The units directly after numbers in capitals, if these are the only other letters of the text.
Changes units_in_capitals(std::string_view text) {
  Changes changes;
  text::MappedText all{text};
  for (std::size_t at = 0; at < text.size();) {
    const bool follows_digit = at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9';
    std::size_t end = at;
    while (follows_digit && end < text.size() && text::is_lower(text::code_point_at(text, end).code))
      end += text::code_point_at(text, end).length;
    if (end > at) changes.emplace_back(span_of(at, end), text::upper_case(text.substr(at, end - at)));
    at = std::max(end, at + text::code_point_at(text, at).length);
  }
  all.replace(changes);
  return text::is_in_capitals(all.text()) ? changes : Changes();
}

}  // namespace

std::vector<std::pair<text::Span, std::string>> read_capitals(std::string_view text, const text::Tokenizer& tokenizer) {
  if (!has_small_letter(text)) return {};
  Changes changes = units_in_capitals(text);
  if (!changes.empty()) return changes;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at, end = stands_alone(text, at, text.size()) ? end_of_capitals(text, at) : at;
    at = std::max(end, at + text::code_point_at(text, at).length);
    if (end == begin || !is_between_words(text, begin, end)) continue;
    const std::string word(text.substr(begin, end - begin)), small = text::lower_case(word);
    if (is_one_token(tokenizer, word)) continue;
    const std::size_t first = text::code_point_at(word, 0).length;
    const std::string title = word.substr(0, first) + text::lower_case(word.substr(first));
    const bool begins_text = text.find_first_not_of(" \t(\"'") == begin;
    for (const std::string& form : begins_text ? std::vector{title, small} : std::vector{small, title}) {
      if (!is_one_token(tokenizer, form)) continue;
      changes.emplace_back(span_of(begin, end), form);
      break;
    }
  }
  return changes;
}

}  // namespace dragoman::search
