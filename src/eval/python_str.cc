#include "eval/python_str.h"

#include <utf8proc.h>

#include <array>

#include "text/code_ranges.h"
#include "text/unicode.h"

namespace dragoman::eval::python {
namespace {

struct Interval {
  char32_t first, last;
};

// Cased characters outside the categories Lu, Ll and Lt (Other_Lowercase and Other_Uppercase).
constexpr std::array<Interval, 27> kOtherCased = {{
    {0xAA, 0xAA},       {0xBA, 0xBA},       {0x2B0, 0x2B8},     {0x2C0, 0x2C1},     {0x2E0, 0x2E4},
    {0x345, 0x345},     {0x37A, 0x37A},     {0x1D2C, 0x1D6A},   {0x1D78, 0x1D78},   {0x1D9B, 0x1DBF},
    {0x2071, 0x2071},   {0x207F, 0x207F},   {0x2090, 0x209C},   {0x2160, 0x217F},   {0x24B6, 0x24E9},
    {0x2C7C, 0x2C7D},   {0xA69C, 0xA69D},   {0xA770, 0xA770},   {0xA7F8, 0xA7F9},   {0xAB5C, 0xAB5F},
    {0x10780, 0x10780}, {0x10783, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA}, {0x1F130, 0x1F149},
    {0x1F150, 0x1F169}, {0x1F170, 0x1F189},
}};

// Marks inside words that are ignored by casing rules (Word_Break MidLetter, MidNumLet and Single_Quote).
constexpr std::array<Interval, 16> kInsideWords = {{{0x27, 0x27},
                                                    {0x2E, 0x2E},
                                                    {0x3A, 0x3A},
                                                    {0xB7, 0xB7},
                                                    {0x387, 0x387},
                                                    {0x55F, 0x55F},
                                                    {0x5F4, 0x5F4},
                                                    {0x2018, 0x2019},
                                                    {0x2024, 0x2024},
                                                    {0x2027, 0x2027},
                                                    {0xFE13, 0xFE13},
                                                    {0xFE52, 0xFE52},
                                                    {0xFE55, 0xFE55},
                                                    {0xFF07, 0xFF07},
                                                    {0xFF0E, 0xFF0E},
                                                    {0xFF1A, 0xFF1A}}};

bool is_cased(char32_t c) { return text::is_upper(c) || text::is_lower(c) || text::find_range(kOtherCased, c); }

// Finer than text::CharClass: among letters and symbols only modifiers, and no spacing marks.
bool is_case_ignorable(char32_t c) {
  const utf8proc_category_t kind = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ME || kind == UTF8PROC_CATEGORY_CF ||
         kind == UTF8PROC_CATEGORY_LM || kind == UTF8PROC_CATEGORY_SK || text::find_range(kInsideWords, c);
}

// Whether the Σ at `position` ends its word: preceded but not followed by a cased letter, ignoring marks.
bool is_final_sigma(const std::vector<char32_t>& text, std::size_t position) {
  std::size_t before = position;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  std::size_t after = position + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

constexpr char32_t kCapitalSigma = 0x3A3, kSigma = 0x3C3, kFinalSigma = 0x3C2;
constexpr char32_t kCapitalDottedI = 0x130, kCombiningDotAbove = 0x307;

}  // namespace

bool is_space(char32_t c) { return text::classify(c) == text::CharClass::space || (c >= 0x1C && c <= 0x1F); }

std::string lower(std::string_view line) {
  if (text::is_ascii(line)) return text::lower_case(line);
  const std::vector<char32_t> code_points = text::code_points(line);
  std::string lower;
  lower.reserve(line.size());
  for (std::size_t i = 0; i < code_points.size(); ++i) {
    const char32_t c = code_points[i];
    if (c == kCapitalSigma) {
      text::append_utf8(is_final_sigma(code_points, i) ? kFinalSigma : kSigma, lower);
    } else if (c == kCapitalDottedI) {
      text::append_utf8(U'i', lower);
      text::append_utf8(kCombiningDotAbove, lower);
    } else {
      text::append_utf8(text::to_lower(c), lower);
    }
  }
  return lower;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size();) {
    const text::CodePoint point = text::code_point_at(line, at);
    if (is_space(point.code)) {
      if (at > begin) words.push_back(line.substr(begin, at - begin));
      begin = at + point.length;
    }
    at += point.length;
  }
  if (begin < line.size()) words.push_back(line.substr(begin));
  return words;
}

std::string_view rstrip(std::string_view line) {
  while (!line.empty()) {
    const text::CodePoint last = text::code_point_before(line, line.size());
    if (!is_space(last.code)) break;
    line.remove_suffix(last.length);
  }
  return line;
}

}  // namespace dragoman::eval::python
