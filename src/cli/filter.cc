#include "run/filter_corpus.h"
#include "run/json_text.h"

#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "cli/command.h"
#include "cli/print_counts.h"

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

void use_positional(data::CorpusOptions& corpus, const Words& files) {
  if (files.empty()) return;
  check(corpus.source.empty() && corpus.target.empty(),
        "files are given as arguments or by --source and --target, not both");
  check(files.size() <= 2,
        "expected a source and a target file, or one file with both in columns, but got {}; "
        "--source and --target take several files each",
        files.empty() ? "none" : fmt::format("{}", counted(files.size(), "name")));
  corpus.source = {files[0]};
  if (files.size() == 2) corpus.target = {files[1]};
}

int filter_files(FilterOptions& options, const Words& files) {
  use_positional(options.filter.corpus, files);
  const data::Counts counts = run::filter_corpus(options.filter);
  if (!options.json) {
    print_counts(counts);
    return 0;
  }
  nlohmann::ordered_json report;
  for (const auto& [name, count] : counts) report[name] = count;
  fmt::print("{}\n", run::to_text(report, 2));
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
