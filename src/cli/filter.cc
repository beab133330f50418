#include "run/filter_corpus.h"

#include "cli/pair_command.h"

namespace dragoman::cli {
namespace {

int run_filter(const Command& self, const Words& arguments) {
  return run_pair_command(self, arguments, run::filter_corpus);
}

}  // namespace

extern const Command filter{
    "filter",
    "SOURCE [TARGET] --output-source FILE --output-target FILE",
    "writes the pairs of a corpus that filters keep, or a part or sample of them",
    run_filter,
    describe_options<PairOptions<run::FilterCorpusOptions>>,
    "dragoman filter train.de train.en --max-words 20 --drop-empty --output-source short.de --output-target short.en\n"
    "dragoman filter train.de.gz train.en.gz --sample 100 --seed 7 --output-source few.de.gz --output-target "
    "few.en.gz\n"
    "# count words by the rules of a language, punctuation included\n"
    "dragoman filter train.de train.en --source-language de --target-language en --max-words 20 \\\n"
    "    --output-source short.de --output-target short.en"};

}  // namespace dragoman::cli
