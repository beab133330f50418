// Any bytes can be split into words; words without a space between them are joined without one again; with joiners,
// nothing but spaces is lost. The first byte chooses the language.
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "text/contractions.h"
#include "text/word_join.h"
#include "text/word_split.h"
#include "text/word_tokenizer.h"

namespace {

using namespace dragoman::text;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_joinable(std::string_view line, Language language) {
  const std::vector<WordSpan> words = split_words_joinable(line, language);
  std::vector<std::string_view> tokens;
  std::uint32_t at = 0;
  for (const WordSpan& word : words) {
    require(word.span.begin >= at && word.span.end > word.span.begin && word.span.end <= line.size());
    at = word.span.end;
    tokens.push_back(line.substr(word.span.begin, word.span.end - word.span.begin));
  }
  const std::vector<bool> spaces = spaces_before(tokens, language);
  for (std::size_t i = 0; i < words.size(); ++i) require(!(words[i].tight && spaces[i]));
}

void check_options(std::string_view line, const WordOptions& options) {
  const WordRules rules(options);
  std::vector<std::string> tokens;
  for (const Word& word : rules.tokenize(line)) {
    require(word.span.begin <= word.span.end && word.span.end <= line.size());
    tokens.push_back(word.text);
  }
  rules.detokenize(tokens);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr Language kLanguages[] = {Language::generic, Language::english, Language::german, Language::hindi};
  const Language language = kLanguages[data[0] % std::size(kLanguages)];
  const std::string_view line(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_joinable(line, language);
  WordOptions options;
  options.language = language;
  options.prepare = {NormalForm::nfkc, true, language == Language::english};
  check_options(line, options);
  options.joiners = true;
  check_options(line, options);
  return 0;
}
