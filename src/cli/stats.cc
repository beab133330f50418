#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/print_counts.h"
#include "run/corpus_statistics.h"
#include "run/json_text.h"

namespace dragoman::cli {
namespace {

using data::SideStatistics;

struct StatsOptions {
  bool json = false, histogram = true;
  run::StatisticsOptions statistics;

  template <class V>
  void visit(V& v) {
    v.section("Statistics");
    v("json", json, "print JSON");
    v("histogram", histogram, "draw the lengths as bars");
    statistics.visit(v);
  }
};

void print_table(const SideStatistics& source, const SideStatistics& target, std::uint64_t min_count) {
  const auto row = [](const std::string& name, const std::string& left, const std::string& right) {
    fmt::print("{:<28} {:>14} {:>14}\n", name, left, right);
  };
  const auto number = [](std::uint64_t value) { return with_commas(static_cast<std::int64_t>(value)); };
  const auto numbers = [&](const std::string& name, std::uint64_t left, std::uint64_t right) {
    row(name, number(left), number(right));
  };
  const data::VocabularyCounts left = source.vocabulary(min_count), right = target.vocabulary(min_count);
  const auto percent = [](double share) { return fmt::format("{:.2f} %", 100 * share); };
  row("", "source", "target");
  numbers("sentences", source.sentences(), target.sentences());
  numbers("tokens", source.tokens(), target.tokens());
  numbers("types", source.types(), target.types());
  numbers("seen once", source.singletons(), target.singletons());
  row("mean length", fmt::format("{:.2f}", source.mean_length()), fmt::format("{:.2f}", target.mean_length()));
  numbers("shortest", source.min_length(), target.min_length());
  numbers("longest", source.max_length(), target.max_length());
  numbers(fmt::format("vocabulary (seen {}+ times)", min_count), left.types, right.types);
  numbers("unknown tokens", left.unknown_tokens, right.unknown_tokens);
  row("share of unknowns", percent(left.unknown_share(source.tokens())), percent(right.unknown_share(target.tokens())));
  fmt::print("{:<28} {:>14}\n", "types on both sides", number(SideStatistics::shared_types(source, target, min_count)));
}

void print_report(const data::Counts& counts) {
  if (counts.size() <= 2) return;  // every pair read was kept
  fmt::print("\n");
  print_counts(counts);
}

int print_statistics(StatsOptions& options, const Words& files) {
  check(files.size() == 1 || files.size() == 2,
        "expected a source and a target file, or one file with both in columns, but got {} names", files.size());
  options.statistics.corpus.source = {files[0]};
  if (files.size() == 2) options.statistics.corpus.target = {files[1]};
  const run::CorpusStatistics statistics(options.statistics);
  if (options.json) {
    fmt::print("{}\n", run::to_text(run::to_json(statistics), 2));
    return 0;
  }
  print_table(statistics.source(), statistics.target(), statistics.min_count());
  print_report(statistics.pairs());
  if (options.histogram) {
    fmt::print("\nsource lengths\n{}", data::length_histogram(statistics.source()));
    fmt::print("\ntarget lengths\n{}", data::length_histogram(statistics.target()));
  }
  return 0;
}

int run(const Command& self, const Words& arguments) {
  return run_with<StatsOptions>(self, arguments, print_statistics);
}

}  // namespace

extern const Command stats{"stats",
                           "SOURCE [TARGET]",
                           "counts sentences, tokens, types and lengths of a corpus",
                           run,
                           describe_options<StatsOptions>,
                           "dragoman stats train.de.gz train.en.gz\n"
                           "dragoman stats pairs.csv --header --source-column english --target-column german\n"
                           "paste train.de train.en | dragoman stats - --json"};

}  // namespace dragoman::cli
