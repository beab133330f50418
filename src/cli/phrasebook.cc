#include "phrasebook/phrasebook.h"

#include "cli/command.h"
#include "run/phrasebook_corpus.h"

namespace dragoman::cli {
namespace {

using phrasebook::BilingualPhrase;
using phrasebook::Phrasebook;
using phrasebook::Split;

struct PhrasebookOptions {
  run::PhrasebookCorpus corpus;
  std::int64_t show = 0;

  template <class V>
  void visit(V& v) {
    corpus.visit(v);
    v("show", show, "print this many pairs of each pattern instead of writing files", at_least(0));
    v.only_if(
        "sentences valid test out", [this] { return show == 0; }, "--show prints pairs and writes no files");
  }
};

void show_patterns(const PhrasebookOptions& options) {
  const std::vector<std::string> names =
      options.corpus.patterns.empty() ? Phrasebook::pattern_names() : options.corpus.patterns;
  for (const std::string& name : names) {
    const Phrasebook book(static_cast<std::uint64_t>(options.corpus.seed), {name});
    fmt::print("{}\n", name);
    for (std::int64_t i = 0; i < options.show; ++i) {
      const BilingualPhrase pair = book.pair(Split::train, static_cast<std::uint64_t>(i));
      fmt::print("  {}\n  {}\n", pair.german, pair.english);
    }
  }
}

int run_phrasebook(const Command& self, const Words& arguments) {
  return run_with<PhrasebookOptions>(self, arguments, [](const PhrasebookOptions& options, const Words& words) {
    check(words.empty(), "phrasebook takes flags only, but got '{}'", words.empty() ? "" : words[0]);
    if (options.show > 0) {
      show_patterns(options);
      return 0;
    }
    check(!options.corpus.out.empty(), "expected --out PREFIX, the prefix of the files to write");
    run::write_phrasebook(options.corpus);
    return 0;
  });
}

}  // namespace

extern const Command phrasebook{"phrasebook",
                                "--sentences N --out PREFIX",
                                "writes an English-German corpus from a built-in grammar",
                                run_phrasebook,
                                describe_options<PhrasebookOptions>,
                                "dragoman phrasebook --sentences 100000 --out phrases\n"
                                "dragoman phrasebook --show 1"};

}  // namespace dragoman::cli
