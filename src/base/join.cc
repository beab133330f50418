#include "base/join.h"

#include <algorithm>

namespace dragoman {

std::string join(std::span<const std::string> words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (&word != words.data()) text += between;
    text += word;
  }
  return text;
}

std::vector<std::string> split_list(std::span<const std::string> words) {
  std::vector<std::string> parts;
  for (const std::string& word : words)
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t end = std::min(word.find(',', begin), word.size());
      if (end > begin) parts.push_back(word.substr(begin, end - begin));
      begin = end + 1;
    }
  return parts;
}

}  // namespace dragoman
