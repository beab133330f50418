#include "smt/phrase_text.h"

#include <algorithm>

#include "base/join.h"
#include "data/words.h"
#include "text/unicode.h"

namespace dragoman::smt {
namespace {

text::WordOptions word_options(const PhraseTextConfig& config) {
  text::WordOptions options;
  options.language = config.language;
  options.prepare.lower = config.lower;
  return options;
}

}  // namespace

void Truecaser::learn(std::span<const std::string> words) {
  for (std::size_t i = 1; i < words.size(); ++i) ++counts_[words[i]];
}

void Truecaser::finish() {
  std::unordered_map<std::string, std::int64_t> most;
  for (const auto& [word, count] : counts_) {
    const std::string key = text::lower_case(word);
    std::int64_t& best = most[key];
    std::string& usual = usual_[key];
    if (count > best || (count == best && word < usual)) {
      best = count;
      usual = word;
    }
  }
  counts_.clear();
}

void Truecaser::apply(std::vector<std::string>& words) const {
  if (words.empty()) return;
  const auto found = usual_.find(text::lower_case(words[0]));
  if (found != usual_.end()) words[0] = found->second;
}

void Truecaser::capitalise(std::vector<std::string>& words) {
  if (words.empty() || words[0].empty()) return;
  const text::CodePoint first = text::code_point_at(words[0], 0);
  if (!first.valid) return;
  std::string upper;
  text::append_utf8(text::to_upper(first.code), upper);
  words[0].replace(0, first.length, upper);
}

std::string Truecaser::serialize() const {
  std::vector<std::string> words;
  for (const auto& [key, word] : usual_) words.push_back(word);
  std::sort(words.begin(), words.end());
  return join(words, " ");
}

Truecaser Truecaser::deserialize(std::string_view bytes) {
  Truecaser truecaser;
  for (std::string& word : data::split_at_spaces(bytes)) truecaser.usual_[text::lower_case(word)] = std::move(word);
  return truecaser;
}

PhraseText::PhraseText(const PhraseTextConfig& config) : config_(config), rules_(word_options(config)) {}

std::vector<std::string> PhraseText::split(std::string_view line) const {
  std::vector<std::string> words;
  for (text::Word& word : rules_.tokenize(line)) words.push_back(std::move(word.text));
  return words;
}

std::vector<std::string> PhraseText::words(std::string_view line) const {
  std::vector<std::string> words = split(line);
  if (truecases()) truecaser_.apply(words);
  return words;
}

std::vector<text::Span> PhraseText::spans(std::string_view line) const {
  std::vector<text::Span> spans;
  for (const text::Word& word : rules_.tokenize(line)) spans.push_back(word.span);
  return spans;
}

std::string PhraseText::line(std::vector<std::string> words) const {
  if (truecases()) Truecaser::capitalise(words);
  return rules_.detokenize(words);
}

}  // namespace dragoman::smt
