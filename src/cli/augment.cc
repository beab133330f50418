#include "run/augment_corpus.h"

#include "cli/pair_command.h"

namespace dragoman::cli {
namespace {

int run_augment(const Command& self, const Words& arguments) {
  return run_pair_command(self, arguments, run::augment_corpus);
}

}  // namespace

extern const Command augment{
    "augment",
    "SOURCE [TARGET] --output-source FILE --output-target FILE",
    "adds changed copies of pairs to a corpus: capitals, typing errors, other numbers, addresses",
    run_augment,
    describe_options<PairOptions<run::AugmentCorpusOptions>>,
    "dragoman augment train.en train.de --upper 0.02 --typos 0.05 --numbers 0.05 --addresses 0.02 \\\n"
    "    --output-source more.en --output-target more.de"};

}  // namespace dragoman::cli
