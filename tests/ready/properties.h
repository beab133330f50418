#pragma once

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "text/unicode.h"

// Properties that a translation has or lacks, whatever its words are.
namespace dragoman::ready {

inline std::string replaced(std::string text, const std::string& mark, const std::string& by) {
  return text.replace(text.find(mark), mark.size(), by);
}

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// The final punctuation mark, or 0.
inline char last_mark(const std::string& text) {
  return !text.empty() && std::string(".?!").find(text.back()) != std::string::npos ? text.back() : '\0';
}

inline std::string upper_case(const std::string& text) {
  std::string upper;
  for (const char32_t code : text::code_points(text)) text::append_utf8(text::to_upper(code), upper);
  return upper;
}

inline double share_of_capitals(const std::string& text) {
  int letters = 0, capitals = 0;
  for (const char32_t code : text::code_points(text)) {
    letters += text::is_upper(code) || text::is_lower(code);
    capitals += text::is_upper(code);
  }
  return letters == 0 ? 0 : static_cast<double>(capitals) / letters;
}

// The numbers of a text by their digits: 1,234 and 1.234 are the same.
inline std::multiset<std::string> numbers_of(const std::string& text) {
  std::multiset<std::string> numbers;
  std::string number;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool separates = i < text.size() && i > 0 && (text[i] == ',' || text[i] == '.') && is_digit(text[i - 1]) &&
                           i + 1 < text.size() && is_digit(text[i + 1]);
    if (i < text.size() && is_digit(text[i]))
      number += text[i];
    else if (!separates && !number.empty())
      numbers.insert(std::exchange(number, {}));
  }
  return numbers;
}

// How often the most repeated run of one to six words follows itself.
inline int longest_loop(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  int longest = 1;
  for (std::size_t size = 1; size <= 6; ++size)
    for (std::size_t begin = 0; begin + size <= words.size(); ++begin) {
      int times = 1;
      while (begin + static_cast<std::size_t>(times + 1) * size <= words.size() &&
             std::equal(words.begin() + static_cast<std::ptrdiff_t>(begin),
                        words.begin() + static_cast<std::ptrdiff_t>(begin + size),
                        words.begin() + static_cast<std::ptrdiff_t>(begin + static_cast<std::size_t>(times) * size)))
        ++times;
      longest = std::max(longest, times);
    }
  return longest;
}

// Whether `text` contains `part` with nothing but spaces and punctuation around it: "…/file.gzz" does not contain
// "…/file.gz".
inline bool contains_alone(const std::string& text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    const std::size_t next = text.find_first_not_of(".,;:!?'\")]", at + part.size());
    if (next == std::string::npos || text[next] == ' ' || static_cast<unsigned char>(text[next]) >= 0x80) return true;
  }
  return false;
}

inline bool has_broken_character(const std::string& text) { return text.find("\uFFFD") != std::string::npos; }

// Not empty, not much longer or shorter than the source, without words that repeat themselves without end and without
// broken characters.
inline bool is_sound(const std::string& source, const std::string& translation) {
  const std::size_t from = text::code_points(source).size(), to = text::code_points(translation).size();
  const bool has_length = to > 0 && to <= 3 * from + 20 && 4 * to + 12 >= from;
  if (has_broken_character(translation) && !has_broken_character(source)) return false;
  return has_length && longest_loop(translation) <= std::max(3, longest_loop(source) * 3 / 2);
}

}  // namespace dragoman::ready
