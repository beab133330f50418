#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "cli/command.h"
#include "data/corpus.h"
#include "data/filters.h"
#include "data/pair_reader.h"
#include "data/statistics.h"
#include "text/tokenizer_file.h"

namespace dragoman::cli {
namespace {

using data::SideStatistics;
using nlohmann::ordered_json;

struct StatsOptions {
  bool json = false, histogram = true;
  std::int64_t min_count = 1;
  std::string tokenizer, target_tokenizer;
  data::CorpusOptions corpus;
  data::ReadingOptions reading;
  data::FilterOptions filters;

  template <class V>
  void visit(V& v) {
    v("json", json, "print JSON");
    v("histogram", histogram, "draw the lengths as bars");
    v("min-count", min_count, "words seen less often become unknown", at_least(1));
    v("tokenizer", tokenizer, "count the tokens of a file made by `dragoman vocab` instead of words");
    v("target-tokenizer", target_tokenizer, "the same for the target; empty means as `tokenizer`");
    corpus.visit_columns(v);
    reading.visit(v);
    filters.visit(v);
  }
};

data::Counts read_pairs(const data::Corpus& corpus, const StatsOptions& options, SideStatistics& source,
                        SideStatistics& target) {
  const auto reader = data::PairReader::open(corpus, options.reading);
  data::Filters filters(options.filters);
  Progress progress("reading", 0, "pairs");
  std::int64_t unshown = 0;
  for (data::Pair pair; reader->next(pair);) {
    if (filters.keeps(pair)) {
      source.add(pair.source);
      target.add(pair.target);
    }
    if (++unshown == 4096) progress.advance(std::exchange(unshown, 0));
  }
  return data::count_pairs(reader->report(), filters);
}

ordered_json to_json(const SideStatistics& side, std::uint64_t min_count) {
  const data::VocabularyCounts vocabulary = side.vocabulary(min_count);
  return {{"sentences", side.sentences()},
          {"tokens", side.tokens()},
          {"types", side.types()},
          {"singletons", side.singletons()},
          {"mean_length", side.mean_length()},
          {"min_length", side.min_length()},
          {"max_length", side.max_length()},
          {"vocabulary", vocabulary.types},
          {"unknown_types", side.types() - vocabulary.types},
          {"unknown_tokens", vocabulary.unknown_tokens},
          {"unknown_share", vocabulary.unknown_share(side.tokens())}};
}

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
  for (const auto& [name, count] : counts)
    fmt::print("{:<28} {:>14}\n", name, with_commas(static_cast<std::int64_t>(count)));
}

int print_statistics(const StatsOptions& options, const std::vector<std::string>& files) {
  check(files.size() == 1 || files.size() == 2,
        "expected a source and a target file, or one file with both in columns, but got {} names", files.size());
  data::CorpusOptions description = options.corpus;
  description.source = {files[0]};
  if (files.size() == 2) description.target = {files[1]};
  const std::vector<data::Corpus> corpora = description.corpora();

  std::unique_ptr<text::Tokenizer> source_tokenizer, target_tokenizer;
  if (!options.tokenizer.empty()) source_tokenizer = text::load_tokenizer(options.tokenizer);
  if (!options.target_tokenizer.empty()) target_tokenizer = text::load_tokenizer(options.target_tokenizer);
  SideStatistics source(source_tokenizer.get());
  SideStatistics target(target_tokenizer ? target_tokenizer.get() : source_tokenizer.get());
  const data::Counts counts = read_pairs(corpora[0], options, source, target);

  const auto min_count = static_cast<std::uint64_t>(options.min_count);
  if (options.json) {
    ordered_json report = {{"source", to_json(source, min_count)},
                           {"target", to_json(target, min_count)},
                           {"shared_types", SideStatistics::shared_types(source, target, min_count)},
                           {"min_count", min_count}};
    for (const auto& [name, count] : counts) report["pairs"][name] = count;
    fmt::print("{}\n", report.dump(2));
    return 0;
  }
  print_table(source, target, min_count);
  print_report(counts);
  if (options.histogram) {
    fmt::print("\nsource lengths\n{}", data::length_histogram(source));
    fmt::print("\ntarget lengths\n{}", data::length_histogram(target));
  }
  return 0;
}

int run(const Command& self, const std::vector<std::string>& arguments) {
  return run_with<StatsOptions>(self, arguments, print_statistics);
}

}  // namespace

extern const Command stats{"stats", "SOURCE [TARGET]", "counts sentences, tokens, types and lengths of a corpus", run};

}  // namespace dragoman::cli
