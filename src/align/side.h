#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "text/word_tokenizer.h"

namespace dragoman::align {

// How the lines of one language are read.
struct SideOptions {
  text::Language language = text::Language::generic;
  bool fold = true;
  int stem = 0;

  template <class V>
  void visit(V& v) {
    v("language", language, "whose rules cut plain text into words");
    v("fold", fold, "count words that differ in case only as one");
    v("stem", stem, "count words with the same first letters as one, so many letters; 0 counts whole words",
      between(0, 100));
  }
};

// Lines to words, and words to the keys under which the models count them.
class Side {
 public:
  explicit Side(SideOptions options) : options_(options), rules_({.language = options.language}) {}

  // What stands between white space, or, where `plain` text is to be cut, the words of the language's rules.
  std::vector<std::string> words(std::string_view line, bool plain) const;
  std::string key(std::string_view word) const;
  const SideOptions& options() const { return options_; }

 private:
  SideOptions options_;
  text::WordRules rules_;
};

}  // namespace dragoman::align
