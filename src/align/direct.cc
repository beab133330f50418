#include "align/direct.h"

#include "text/unicode.h"

namespace dragoman::align {

std::vector<std::string> translate_directly(const Lexicon& lexicon, std::span<const std::string> words) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    auto found = lexicon.translations(word);
    if (found.empty()) found = lexicon.translations(text::lower_case(word));
    result.push_back(found.empty() ? word : lexicon.targets()[found.front().target]);
  }
  return result;
}

}  // namespace dragoman::align
