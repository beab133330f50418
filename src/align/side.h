#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "text/word_tokenizer.h"

namespace dragoman::align {

// How the text of one language is read.
struct SideOptions {
  text::Language language = text::Language::generic;
  bool fold = true;
  int stem = 0;

  template <class V>
  void visit(V& v) {
    v("language", language, "language whose rules tokenise plain text");
    v("fold", fold, "treat words that differ only in case as the same word");
    v("stem", stem,
      "treat words with the same first letters as the same word: number of letters; 0 compares whole words",
      between(0, 100));
  }
};

// Splits lines into words and maps words to the keys that the models count.
class Side {
 public:
  explicit Side(SideOptions options) : options_(options), rules_({.language = options.language}) {}

  // Tokenises `plain` text by the language's rules; splits other text at white space.
  std::vector<std::string> words(std::string_view line, bool plain) const;
  std::string key(std::string_view word) const;
  const SideOptions& options() const { return options_; }

 private:
  SideOptions options_;
  text::WordRules rules_;
};

}  // namespace dragoman::align
