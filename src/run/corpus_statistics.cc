#include "run/corpus_statistics.h"

#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "text/tokenizer_file.h"

namespace dragoman::run {
namespace {

using data::SideStatistics;
using nlohmann::ordered_json;

std::unique_ptr<text::Tokenizer> open_tokenizer(const std::string& path) {
  return path.empty() ? nullptr : text::load_tokenizer(path);
}

// The only corpus, which may have one side.
data::Corpus corpus_of(const StatisticsOptions& options) {
  const data::CorpusOptions& files = options.corpus;
  if (!files.target.empty() || !data::is_text(files.source.at(0), files.format)) return files.corpora()[0];
  const data::FilterOptions& filters = options.filters;
  check(!filters.drop_identical && filters.max_ratio == 0 && filters.target_script == data::Script::any,
        "{}: has one side only, so that drop-identical, max-ratio and target-script do not apply to it",
        files.source[0]);
  return {.source = files.source[0], .target = "", .format = data::Format::lines};
}

data::Counts read_pairs(const data::Corpus& corpus, const StatisticsOptions& options, SideStatistics& source,
                        SideStatistics& target, bool has_target) {
  const auto reader = data::PairReader::open(corpus, options.reading);
  data::Filters filters(options.filters);
  Progress progress("reading", 0, "pairs");
  std::int64_t unshown = 0;
  for (data::Pair pair; reader->next(pair);) {
    if (filters.keeps(pair)) {
      source.add(pair.source);
      if (has_target) target.add(pair.target);
    }
    if (++unshown == 4096) progress.advance(std::exchange(unshown, 0));
  }
  return data::count_pairs(reader->report(), filters);
}

ordered_json side_json(const SideStatistics& side, std::uint64_t min_count) {
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

}  // namespace

CorpusStatistics::CorpusStatistics(const StatisticsOptions& options)
    : corpus_(corpus_of(options)),
      source_tokenizer_(open_tokenizer(options.tokenizer)),
      target_tokenizer_(open_tokenizer(options.target_tokenizer)),
      min_count_(static_cast<std::uint64_t>(options.min_count)),
      source_(source_tokenizer_.get()),
      target_(target_tokenizer_ ? target_tokenizer_.get() : source_tokenizer_.get()),
      pairs_(read_pairs(corpus_, options, source_, target_, has_target())) {}

ordered_json to_json(const CorpusStatistics& statistics) {
  const std::uint64_t min_count = statistics.min_count();
  ordered_json report = {{"source", side_json(statistics.source(), min_count)}};
  if (statistics.has_target()) {
    report["target"] = side_json(statistics.target(), min_count);
    report["shared_types"] = SideStatistics::shared_types(statistics.source(), statistics.target(), min_count);
  }
  report["min_count"] = min_count;
  for (const auto& [name, count] : statistics.pairs()) report["pairs"][name] = count;
  return report;
}

}  // namespace dragoman::run
