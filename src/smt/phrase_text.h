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

// How the text of one language is processed.
struct PhraseTextConfig {
  text::Language language = text::Language::generic;
  bool lower = false;
  bool truecase = true;

  template <class V>
  void visit(V& v) {
    v("language", language, "language whose rules tokenise and detokenise the text");
    v("lower", lower, "convert the text to lower case");
    v("truecase", truecase, "truecase: write the first word of a sentence as it is usually written elsewhere");
  }
};

// Restores the usual case of the first word of a sentence: "The" becomes "the", "Peter" stays "Peter".
class Truecaser {
 public:
  // Counts all words of a sentence except the first.
  void learn(std::span<const std::string> words);
  // Ends training.
  void finish();
  void apply(std::vector<std::string>& words) const;
  // Capitalises the first word.
  static void capitalise(std::vector<std::string>& words);

  std::string serialize() const;
  static Truecaser deserialize(std::string_view bytes);

 private:
  std::unordered_map<std::string, std::int64_t> counts_;
  std::unordered_map<std::string, std::string> usual_;  // usual form by lower-cased word
};

// Tokenises and detokenises lines of one language.
class PhraseText {
 public:
  explicit PhraseText(const PhraseTextConfig& config);

  // The words of a line before truecasing.
  std::vector<std::string> split(std::string_view line) const;
  std::vector<std::string> words(std::string_view line) const;
  // The bytes of the line that each word comes from.
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

}  // namespace dragoman::smt
