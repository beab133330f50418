#include "text/word_tokenizer.h"

#include "text/signs.h"
#include "text/word_join.h"
#include "text/word_split.h"

namespace dragoman::text {
namespace {

bool starts_like_a_word(std::string_view token) {
  const CharClass kind = classify(code_point_at(token, 0).code);
  return kind == CharClass::letter || kind == CharClass::number;
}

}  // namespace

std::vector<Word> WordRules::tokenize(std::string_view line) const {
  PrepareOptions cased = options_.prepare;  // word splitting depends on case
  cased.lower = false;
  const MappedText mapped = prepare(line, cased);
  const std::string& text = mapped.text();
  const std::vector<WordSpan> spans =
      options_.joiners ? split_words(text, options_.language) : split_words_joinable(text, options_.language);
  std::vector<Word> words;
  std::vector<bool> tight;
  words.reserve(spans.size());
  for (const WordSpan& word : spans) {
    const auto [begin, end] = word.span;
    std::string token = text.substr(begin, end - begin);
    if (options_.prepare.lower) token = lower_case(token);
    words.push_back({std::move(token), mapped.original(begin, end)});
    tight.push_back(word.tight);
  }
  if (options_.joiners) mark_joins(words, tight);
  return words;
}

// Marks the sign rather than the word, so that a word always has the same form.
void WordRules::mark_joins(std::vector<Word>& words, const std::vector<bool>& tight) const {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!tight[i]) continue;
    if (starts_like_a_word(words[i].text) && !starts_like_a_word(words[i - 1].text))
      words[i - 1].text.append(kJoinSign);
    else
      words[i].text.insert(0, kJoinSign);
  }
}

std::string WordRules::detokenize_marked(std::span<const std::string> tokens) const {
  std::string text;
  bool bound = true;
  for (std::string_view token : tokens) {
    const bool left = token.starts_with(kJoinSign);
    if (left) token.remove_prefix(kJoinSign.size());
    if (!bound && !left) text += ' ';
    bound = token.ends_with(kJoinSign);
    if (bound) token.remove_suffix(kJoinSign.size());
    text += token;
  }
  return text;
}

std::string WordRules::detokenize(std::span<const std::string> tokens) const {
  if (options_.joiners) return detokenize_marked(tokens);
  const std::vector<std::string_view> views(tokens.begin(), tokens.end());
  return join_words(views, options_.language);
}

}  // namespace dragoman::text
