#include "align/direct.h"

#include "align/side.h"

#include "base/join.h"
#include "cli/command.h"
#include "run/corpus_lines.h"
#include "text/word_tokenizer.h"

namespace dragoman::cli {
namespace {

struct DirectOptions {
  text::Language source = text::Language::generic, target = text::Language::generic;
  bool tokenized = false;

  template <class V>
  void visit(V& v) {
    v("source", source, "language whose rules split the text into words");
    v("target", target, "language whose rules join the words of the translation");
    v("tokenized", tokenized, "input and output are tokenised text: words separated by spaces");
    v.only_if(
        "source target", [this] { return !tokenized; }, "--tokenized splits and joins at spaces");
  }
};

int translate(const DirectOptions& options, const Words& paths) {
  check(paths.size() == 1 || paths.size() == 2,
        "expected LEXICON and optionally a FILE of sentences, but got {} arguments", paths.size());
  const align::Lexicon lexicon = align::Lexicon::load(paths[0]);
  const align::Side side({.language = options.source});
  const text::WordRules target({.language = options.target});
  run::CorpusLines lines({paths.size() == 2 ? paths[1] : "-"}, "translating");
  for (std::string line; lines.next(line);) {
    const Words words = align::translate_directly(lexicon, side.words(line, !options.tokenized));
    fmt::print("{}\n", options.tokenized ? join(words, " ") : target.detokenize(words));
  }
  return 0;
}

int run_direct(const Command& self, const Words& arguments) {
  return run_with<DirectOptions>(self, arguments, translate);
}

}  // namespace

extern const Command direct{"direct",
                            "LEXICON [FILE]",
                            "translates word for word with a lexicon",
                            run_direct,
                            describe_options<DirectOptions>,
                            "dragoman align train.de train.en --tokenize --source.language de --target.language en "
                            "--lexicon de-en.lex > /dev/null\n"
                            "dragoman direct de-en.lex --source de --target en < text.de > text.en"};

}  // namespace dragoman::cli
