#include <nlohmann/json.hpp>

#include "base/counted.h"
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
    v.only_if(
        "histogram", [this] { return !json; }, "--json has no bars");
  }
};

// One column per side.
void print_table(const run::CorpusStatistics& statistics) {
  std::vector<const SideStatistics*> sides = {&statistics.source()};
  if (statistics.has_target()) sides.push_back(&statistics.target());
  const auto row = [&](const std::string& name, const auto& words_of) {
    std::string line = fmt::format("{:<28}", name);
    for (const SideStatistics* side : sides) line += fmt::format(" {:>14}", words_of(*side));
    fmt::print("{}\n", line);
  };
  const auto number = [](std::uint64_t value) { return with_commas(static_cast<std::int64_t>(value)); };
  const std::uint64_t min_count = statistics.min_count();
  if (statistics.has_target()) fmt::print("{:<28} {:>14} {:>14}\n", "", "source", "target");
  row("sentences", [&](const SideStatistics& side) { return number(side.sentences()); });
  row("tokens", [&](const SideStatistics& side) { return number(side.tokens()); });
  row("types", [&](const SideStatistics& side) { return number(side.types()); });
  row("seen once", [&](const SideStatistics& side) { return number(side.singletons()); });
  row("mean length", [](const SideStatistics& side) { return fmt::format("{:.2f}", side.mean_length()); });
  row("shortest", [&](const SideStatistics& side) { return number(side.min_length()); });
  row("longest", [&](const SideStatistics& side) { return number(side.max_length()); });
  row(fmt::format("vocabulary (seen {}+ times)", min_count),
      [&](const SideStatistics& side) { return number(side.vocabulary(min_count).types); });
  row("unknown tokens", [&](const SideStatistics& side) { return number(side.vocabulary(min_count).unknown_tokens); });
  row("share of unknowns", [&](const SideStatistics& side) {
    return fmt::format("{:.2f} %", 100 * side.vocabulary(min_count).unknown_share(side.tokens()));
  });
  if (statistics.has_target())
    fmt::print("{:<28} {:>14}\n", "types on both sides",
               number(SideStatistics::shared_types(statistics.source(), statistics.target(), min_count)));
}

void print_report(const data::Counts& counts) {
  if (counts.size() <= 2) return;  // every pair read was kept
  fmt::print("\n");
  print_counts(counts);
}

int print_statistics(StatsOptions& options, const Words& files) {
  check(files.size() == 1 || files.size() == 2,
        "expected a source and a target file, or one file, of text or with both sides in columns, but got {}",
        files.empty() ? "none" : fmt::format("{}", counted(files.size(), "name")));
  options.statistics.corpus.source = {files[0]};
  if (files.size() == 2) options.statistics.corpus.target = {files[1]};
  const run::CorpusStatistics statistics(options.statistics);
  if (options.json) {
    fmt::print("{}\n", run::to_text(run::to_json(statistics), 2));
    return 0;
  }
  print_table(statistics);
  print_report(statistics.pairs());
  if (!options.histogram) return 0;
  fmt::print("\n{}lengths\n{}", statistics.has_target() ? "source " : "", data::length_histogram(statistics.source()));
  if (statistics.has_target()) fmt::print("\ntarget lengths\n{}", data::length_histogram(statistics.target()));
  return 0;
}

int run_stats(const Command& self, const Words& arguments) {
  return run_with<StatsOptions>(self, arguments, print_statistics);
}

}  // namespace

extern const Command stats{"stats",
                           "SOURCE [TARGET]",
                           "counts sentences, tokens, types and lengths of a corpus",
                           run_stats,
                           describe_options<StatsOptions>,
                           "dragoman stats train.de.gz train.en.gz\n"
                           "dragoman stats news.de\n"
                           "dragoman stats pairs.csv --header --source-column english --target-column german\n"
                           "paste train.de train.en | dragoman stats - --json"};

}  // namespace dragoman::cli
