#include "run/filter_corpus.h"

#include "cli/pair_command.h"

namespace dragoman::cli {
namespace {

struct FilterOptions {
  run::FilterCorpusOptions filter;
  bool json = false;

  template <class V>
  void visit(V& v) {
    filter.visit(v);
    v.section("Report");
    v("json", json, "print the counts as JSON");
  }
};

int filter_files(FilterOptions& options, const Words& files) {
  use_positional(options.filter.corpus, files);
  print_pair_counts(run::filter_corpus(options.filter), options.json);
  return 0;
}

int run(const Command& self, const Words& arguments) { return run_with<FilterOptions>(self, arguments, filter_files); }

}  // namespace

extern const Command filter{
    "filter",
    "SOURCE [TARGET] --output-source FILE --output-target FILE",
    "writes the pairs of a corpus that filters keep, or a part or sample of them",
    run,
    describe_options<FilterOptions>,
    "dragoman filter train.de train.en --max-words 20 --drop-empty --output-source short.de --output-target short.en\n"
    "dragoman filter train.de.gz train.en.gz --sample 100 --seed 7 --output-source few.de.gz --output-target "
    "few.en.gz\n"
    "# count words by the rules of a language, punctuation included\n"
    "dragoman filter train.de train.en --source-language de --target-language en --max-words 20 \\\n"
    "    --output-source short.de --output-target short.en"};

}  // namespace dragoman::cli
