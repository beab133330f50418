#include "run/augment_corpus.h"

#include "cli/pair_command.h"

namespace dragoman::cli {
namespace {

struct AugmentOptions {
  run::AugmentCorpusOptions augment;
  bool json = false;

  template <class V>
  void visit(V& v) {
    augment.visit(v);
    v.section("Report");
    v("json", json, "print the counts as JSON");
  }
};

int augment_files(AugmentOptions& options, const Words& files) {
  use_positional(options.augment.corpus, files);
  print_pair_counts(run::augment_corpus(options.augment), options.json);
  return 0;
}

int run(const Command& self, const Words& arguments) {
  return run_with<AugmentOptions>(self, arguments, augment_files);
}

}  // namespace

extern const Command augment{
    "augment",
    "SOURCE [TARGET] --output-source FILE --output-target FILE",
    "adds changed copies of pairs to a corpus: capitals, typing errors, other numbers, addresses",
    run,
    describe_options<AugmentOptions>,
    "dragoman augment train.en train.de --upper 0.02 --typos 0.05 --numbers 0.05 --addresses 0.02 \\\n"
    "    --output-source more.en --output-target more.de"};

}  // namespace dragoman::cli
