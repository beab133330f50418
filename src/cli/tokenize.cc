#include <algorithm>
#include <sstream>

#include "base/join.h"
#include "cli/command.h"
#include "data/line_writer.h"
#include "run/corpus_lines.h"
#include "run/output_files.h"
#include "text/unicode.h"
#include "text/word_tokenizer.h"

namespace dragoman::cli {
namespace {

struct TokenizeOptions {
  std::string output = "-";
  bool detokenize = false, drop_punctuation = false;
  text::WordOptions words;

  template <class V>
  void visit(V& v) {
    v("output", output, "file to write, compressed if its name ends in .gz; - is stdout");
    v("detokenize", detokenize, "join tokens to running text instead");
    words.visit(v);
    v("drop-punctuation", drop_punctuation, "drop tokens without letters and digits");
    v.only_if(
        "drop-punctuation normalize lower expand-contractions", [this] { return !detokenize; },
        "--detokenize only joins tokens");
  }
};

bool is_punctuation(const std::string& token) {
  const std::vector<char32_t> codes = text::code_points(token);
  return std::none_of(codes.begin(), codes.end(), [](char32_t code) {
    const text::CharClass kind = text::classify(code);
    return kind == text::CharClass::letter || kind == text::CharClass::number;
  });
}

std::string tokenized(const TokenizeOptions& options, const text::WordRules& rules, const std::string& line) {
  Words tokens;
  for (const text::Word& word : rules.tokenize(line))
    if (!options.drop_punctuation || !is_punctuation(word.text)) tokens.push_back(word.text);
  return join(tokens, " ");
}

std::string detokenized(const text::WordRules& rules, const std::string& line) {
  std::istringstream stream(line);
  Words tokens;
  for (std::string token; stream >> token;) tokens.push_back(token);
  return rules.detokenize(tokens);
}

int run_tokenize(const Command& self, const Words& arguments) {
  return run_with<TokenizeOptions>(self, arguments, [](const TokenizeOptions& options, Words paths) {
    const text::WordRules rules(options.words);
    if (paths.empty()) paths.push_back("-");
    run::check_output_files({}, {{"--output", options.output}});
    run::CorpusLines lines(paths, options.detokenize ? "detokenising" : "tokenising");
    data::LineWriter out(options.output);
    for (std::string line; lines.next(line);)
      out.write(options.detokenize ? detokenized(rules, line) : tokenized(options, rules, line));
    out.commit();
    return 0;
  });
}

}  // namespace

extern const Command tokenize{"tokenize",
                              "[FILE...]",
                              "splits text into words, or joins words to text",
                              run_tokenize,
                              describe_options<TokenizeOptions>,
                              "dragoman tokenize train.de.gz --language de --lower --output train.tok.de\n"
                              "dragoman tokenize output.tok.de --language de --detokenize"};

}  // namespace dragoman::cli
