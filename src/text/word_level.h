#pragma once

#include "text/tokenizer.h"
#include "text/vocabulary.h"
#include "text/word_tokenizer.h"

namespace dragoman::text {

// A word-level tokenizer: word splitting rules and a vocabulary.
class WordLevel final : public Tokenizer {
 public:
  WordLevel(WordRules rules, Vocabulary vocabulary, int multiple);

  void encode(std::string_view line, std::vector<std::int32_t>& ids) const override;
  Encoded encode_spans(std::string_view line) const override;
  void encode_sampled(std::string_view line, double, Random&, std::vector<std::int32_t>& ids) const override {
    encode(line, ids);
  }
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::int32_t size() const override { return size_; }
  SpecialIds special() const override { return {}; }
  std::string piece(std::int32_t id) const override;
  std::string serialize() const override;

  const WordRules& rules() const { return rules_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  WordRules rules_;
  Vocabulary vocabulary_;
  int multiple_;
  std::int32_t size_;
};

}  // namespace dragoman::text
