#include "cli/command.h"
#include "run/align_files.h"

namespace dragoman::cli {
namespace {

int run(const Command& self, const Words& arguments) {
  return run_with<run::AlignmentOptions>(self, arguments, [](const run::AlignmentOptions& options, const Words& paths) {
    expect_words(paths, 2, "align needs SOURCE and TARGET, two files with a sentence per line");
    run::align_files(options, paths[0], paths[1], [](const std::string& line) { fmt::print("{}\n", line); });
    return 0;
  });
}

}  // namespace

extern const Command align{"align", "SOURCE TARGET", "finds which words translate each other", run};

}  // namespace dragoman::cli
