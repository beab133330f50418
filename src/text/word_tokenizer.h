#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/language.h"
#include "text/prepare.h"
#include "text/tokenizer.h"

namespace dragoman::text {

struct WordOptions {
  Language language = Language::generic;
  PrepareOptions prepare = {};
  bool joiners = false;

  template <class V>
  void visit(V& v) {
    v("language", language, "language whose tokenisation rules to use");
    prepare.visit(v);
    v("joiners", joiners,
      "mark tokens that had no space beside them, so that detokenisation restores the text exactly");
  }
};

// A token and the bytes of the line it comes from.
struct Word {
  std::string text;
  Span span;
};

// Tokenises and detokenises by a language's rules.
class WordRules {
 public:
  explicit WordRules(WordOptions options) : options_(options) {}

  std::vector<Word> tokenize(std::string_view line) const;
  std::string detokenize(std::span<const std::string> tokens) const;
  const WordOptions& options() const { return options_; }

 private:
  void mark_joins(std::vector<Word>& words, const std::vector<bool>& tight) const;
  std::string detokenize_marked(std::span<const std::string> tokens) const;

  WordOptions options_;
};

}  // namespace dragoman::text
