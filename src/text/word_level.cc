#include "text/word_level.h"

#include "base/error.h"
#include "text/id_count.h"
#include "text/tokenizer_file.h"

namespace dragoman::text {

WordLevel::WordLevel(WordRules rules, Vocabulary vocabulary, int multiple)
    : rules_(rules), vocabulary_(std::move(vocabulary)), multiple_(multiple) {
  size_ = rounded_id_count(vocabulary_.words().size() + Vocabulary::kSpecial, multiple, "words");
}

void WordLevel::encode(std::string_view line, std::vector<std::int32_t>& ids) const {
  for (const Word& word : rules_.tokenize(line)) ids.push_back(vocabulary_.find(word.text));
}

Encoded WordLevel::encode_spans(std::string_view line) const {
  Encoded encoded;
  for (const Word& word : rules_.tokenize(line)) {
    encoded.ids.push_back(vocabulary_.find(word.text));
    encoded.spans.push_back(word.span);
  }
  return encoded;
}

std::string WordLevel::decode(std::span<const std::int32_t> ids) const {
  const SpecialIds known = special();
  std::vector<std::string> words;
  for (const std::int32_t id : ids) {
    check(id >= 0 && id < size_, "words: expected an id from 0 to {} but got {}", size_ - 1, id);
    if (id == known.begin || id == known.end || id == known.pad || id >= vocabulary_.size()) continue;
    words.push_back(vocabulary_.word(id));
  }
  return rules_.detokenize(words);
}

std::string WordLevel::piece(std::int32_t id) const {
  check(id >= 0 && id < size_, "words: expected an id from 0 to {} but got {}", size_ - 1, id);
  return id < vocabulary_.size() ? vocabulary_.word(id) : "";
}

std::string WordLevel::serialize() const {
  WordOptions options = rules_.options();
  std::string words;
  for (const std::string& word : vocabulary_.words()) words.append(word).append("\n");
  return pack({{{"kind", "words"}, {"multiple", multiple_}, {"options", Settings(options).dump()}}, words});
}

}  // namespace dragoman::text
