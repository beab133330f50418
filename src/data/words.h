#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::data {

// Words are what stands between ASCII white space.
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

inline std::size_t count_words(std::string_view text) {
  std::size_t count = 0;
  for_each_word(text, [&](std::string_view) { ++count; });
  return count;
}

}  // namespace dragoman::data
