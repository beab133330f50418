#include "cli/pair_command.h"

#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "cli/print_counts.h"
#include "run/json_text.h"

namespace dragoman::cli {

void use_positional(data::CorpusOptions& corpus, const Words& files) {
  if (files.empty()) return;
  check(corpus.source.empty() && corpus.target.empty(),
        "files are given as arguments or by --source and --target, not both");
  check(files.size() <= 2,
        "expected a source and a target file, or one file with both in columns, but got {}; "
        "--source and --target take several files each",
        counted(files.size(), "name"));
  corpus.source = {files[0]};
  if (files.size() == 2) corpus.target = {files[1]};
}

void print_pair_counts(const data::Counts& counts, bool json) {
  if (!json) return print_counts(counts);
  nlohmann::ordered_json report;
  for (const auto& [name, count] : counts) report[name] = count;
  fmt::print("{}\n", run::to_text(report, 2));
}

}  // namespace dragoman::cli
