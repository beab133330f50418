#include "align/side.h"

#include "data/words.h"
#include "text/unicode.h"

namespace dragoman::align {
namespace {

// The first `letters` code points.
std::string_view front(std::string_view word, int letters) {
  std::size_t end = 0;
  for (int i = 0; i < letters && end < word.size(); ++i) end += text::code_point_at(word, end).length;
  return word.substr(0, end);
}

}  // namespace

std::vector<std::string> Side::words(std::string_view line, bool plain) const {
  if (!plain) return data::split_at_spaces(line);
  std::vector<std::string> words;
  for (text::Word& word : rules_.tokenize(line)) words.push_back(std::move(word.text));
  return words;
}

std::string Side::key(std::string_view word) const {
  std::string key = options_.fold ? text::fold_case(word) : std::string(word);
  if (options_.stem > 0) key.resize(front(key, options_.stem).size());
  return key;
}

}  // namespace dragoman::align
