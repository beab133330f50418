#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/options.h"
#include "text/word_tokenizer.h"

namespace dragoman::smt {

// How the lines of one language are written.
struct PhraseTextConfig {
  text::Language language = text::Language::generic;
  bool lower = false;
  bool truecase = true;

  template <class V>
  void visit(V& v) {
    v("language", language, "whose rules cut text into words and join them again");
    v("lower", lower, "lower-case the text");
    v("truecase", truecase, "write the first word of a sentence as it is usually written");
  }
};

// How words are usually written inside a sentence: "The" at its beginning is "the", "Peter" stays "Peter".
class Truecaser {
 public:
  // Counts all words of a sentence but the first.
  void learn(std::span<const std::string> words);
  // Ends learning.
  void finish();
  void apply(std::vector<std::string>& words) const;
  // Gives the first word a capital letter.
  static void capitalise(std::vector<std::string>& words);

  std::string serialize() const;
  static Truecaser deserialize(std::string_view bytes);

 private:
  std::unordered_map<std::string, std::int64_t> counts_;
  std::unordered_map<std::string, std::string> usual_;  // by the word in lower case
};

// Lines to words and back, for one language.
class PhraseText {
 public:
  explicit PhraseText(const PhraseTextConfig& config);

  // The words as written, before the truecaser.
  std::vector<std::string> split(std::string_view line) const;
  std::vector<std::string> words(std::string_view line) const;
  // The bytes of the line that each of its words stands for.
  std::vector<text::Span> spans(std::string_view line) const;
  std::string line(std::vector<std::string> words) const;

  Truecaser& truecaser() { return truecaser_; }
  const Truecaser& truecaser() const { return truecaser_; }
  bool truecases() const { return config_.truecase && !config_.lower; }

 private:
  PhraseTextConfig config_;
  text::WordRules rules_;
  Truecaser truecaser_;
};

// The words between spaces.
std::vector<std::string> split_at_spaces(std::string_view line);

}  // namespace dragoman::smt
