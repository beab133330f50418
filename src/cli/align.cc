#include "cli/command.h"
#include "run/align_files.h"

namespace dragoman::cli {
namespace {

int run_align(const Command& self, const Words& arguments) {
  return run_with<run::AlignmentOptions>(self, arguments, [](const run::AlignmentOptions& options, const Words& paths) {
    expect_words(paths, 2, "align needs SOURCE and TARGET, two files with a sentence per line");
    run::align_files(options, paths[0], paths[1], [](const std::string& line) { fmt::print("{}\n", line); });
    return 0;
  });
}

}  // namespace

extern const Command align{
    "align",
    "SOURCE TARGET",
    "finds which words translate each other",
    run_align,
    describe_options<run::AlignmentOptions>,
    "# link the words of a parallel corpus\n"
    "dragoman align train.de train.en --tokenize --source.language de --target.language en > train.align\n"
    "# learn from a large corpus, keep the model, align other text with it\n"
    "dragoman align test.de test.en --train-source train.de.gz --train-target train.en.gz --save de-en.model > "
    "test.align\n"
    "dragoman align more.de more.en --model de-en.model > more.align\n"
    "# draw the pair of line 7\n"
    "dragoman align train.de train.en --svg pair.svg --line 7 > train.align"};

}  // namespace dragoman::cli
