#include "eval/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <span>

namespace dragoman::eval {
namespace {

struct Interval {
  char32_t first, last;
};

bool contains(std::span<const Interval> sorted, char32_t c) {
  const auto after = std::upper_bound(sorted.begin(), sorted.end(), c,
                                      [](char32_t value, const Interval& interval) { return value < interval.first; });
  return after != sorted.begin() && c <= std::prev(after)->last;
}

// Letters that count as cased although their category is not Lu, Ll or Lt (Other_Lowercase and Other_Uppercase).
constexpr std::array<Interval, 27> kOtherCased = {{
    {0xAA, 0xAA},       {0xBA, 0xBA},       {0x2B0, 0x2B8},     {0x2C0, 0x2C1},     {0x2E0, 0x2E4},
    {0x345, 0x345},     {0x37A, 0x37A},     {0x1D2C, 0x1D6A},   {0x1D78, 0x1D78},   {0x1D9B, 0x1DBF},
    {0x2071, 0x2071},   {0x207F, 0x207F},   {0x2090, 0x209C},   {0x2160, 0x217F},   {0x24B6, 0x24E9},
    {0x2C7C, 0x2C7D},   {0xA69C, 0xA69D},   {0xA770, 0xA770},   {0xA7F8, 0xA7F9},   {0xAB5C, 0xAB5F},
    {0x10780, 0x10780}, {0x10783, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA}, {0x1F130, 0x1F149},
    {0x1F150, 0x1F169}, {0x1F170, 0x1F189},
}};

// Marks inside words that casing looks through (Word_Break MidLetter, MidNumLet and Single_Quote).
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

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool is_cased(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL || kind == UTF8PROC_CATEGORY_LT ||
         contains(kOtherCased, c);
}

bool is_case_ignorable(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ME || kind == UTF8PROC_CATEGORY_CF ||
         kind == UTF8PROC_CATEGORY_LM || kind == UTF8PROC_CATEGORY_SK || contains(kInsideWords, c);
}

// Whether the Σ at `position` ends its word: a cased letter before it and none after it, looking through marks.
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

char32_t next_code_point(std::string_view text, std::size_t& position) {
  const auto byte = [&](std::size_t offset) -> char32_t { return static_cast<unsigned char>(text[position + offset]); };
  const char32_t lead = byte(0);
  char32_t code_point = lead;
  std::size_t length = 1;
  if (lead >= 0xF0) {
    code_point = (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    length = 4;
  } else if (lead >= 0xE0) {
    code_point = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    length = 3;
  } else if (lead >= 0xC0) {
    code_point = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
    length = 2;
  }
  position += length;
  return code_point;
}

std::vector<char32_t> decode(std::string_view text) {
  std::vector<char32_t> code_points;
  code_points.reserve(text.size());
  for (std::size_t position = 0; position < text.size();) code_points.push_back(next_code_point(text, position));
  return code_points;
}

void append_utf8(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
    return;
  }
  std::array<utf8proc_uint8_t, 4> bytes;
  const utf8proc_ssize_t length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_punctuation(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool is_symbol(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind >= UTF8PROC_CATEGORY_SM && kind <= UTF8PROC_CATEGORY_SO;
}

bool is_number(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO;
}

std::string lowercase(std::string_view text) {
  std::string lower(text);
  bool ascii = true;
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    ascii = ascii && static_cast<unsigned char>(c) < 0x80;
  }
  if (ascii) return lower;
  const std::vector<char32_t> code_points = decode(text);
  lower.clear();
  for (std::size_t i = 0; i < code_points.size(); ++i) {
    const char32_t c = code_points[i];
    if (c == kCapitalSigma) {
      append_utf8(lower, is_final_sigma(code_points, i) ? kFinalSigma : kSigma);
    } else if (c == kCapitalDottedI) {
      append_utf8(lower, U'i');
      append_utf8(lower, kCombiningDotAbove);
    } else {
      append_utf8(lower, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
    }
  }
  return lower;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0, position = 0;
  while (position < text.size()) {
    const std::size_t here = position;
    if (!is_space(next_code_point(text, position))) continue;
    if (here > begin) words.push_back(text.substr(begin, here - begin));
    begin = position;
  }
  if (begin < text.size()) words.push_back(text.substr(begin));
  return words;
}

std::string_view strip_right(std::string_view text) {
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    std::size_t position = last;
    if (!is_space(next_code_point(text, position))) break;
    text.remove_suffix(text.size() - last);
  }
  return text;
}

}  // namespace dragoman::eval
