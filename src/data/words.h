#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Words of tokenised text: they are separated by ASCII white space.
namespace dragoman::data {

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Calls body(word) for each word of `text`.
template <class Body>
void for_each_word(std::string_view text, Body body) {
  for (std::size_t at = 0;;) {
    while (at < text.size() && is_space(text[at])) ++at;
    if (at == text.size()) return;
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    body(text.substr(begin, at - begin));
  }
}

inline std::vector<std::string> split_at_spaces(std::string_view text) {
  std::vector<std::string> words;
  for_each_word(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

inline std::size_t count_words(std::string_view text) {
  std::size_t count = 0;
  for_each_word(text, [&](std::string_view) { ++count; });
  return count;
}

}  // namespace dragoman::data
