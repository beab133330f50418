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

data::Counts read_pairs(const data::Corpus& corpus, const StatisticsOptions& options, SideStatistics& source,
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
    : source_tokenizer_(open_tokenizer(options.tokenizer)),
      target_tokenizer_(open_tokenizer(options.target_tokenizer)),
      min_count_(static_cast<std::uint64_t>(options.min_count)),
      source_(source_tokenizer_.get()),
      target_(target_tokenizer_ ? target_tokenizer_.get() : source_tokenizer_.get()),
      pairs_(read_pairs(options.corpus.corpora()[0], options, source_, target_)) {}

ordered_json to_json(const CorpusStatistics& statistics) {
  const std::uint64_t min_count = statistics.min_count();
  ordered_json report = {
      {"source", side_json(statistics.source(), min_count)},
      {"target", side_json(statistics.target(), min_count)},
      {"shared_types", SideStatistics::shared_types(statistics.source(), statistics.target(), min_count)},
      {"min_count", min_count}};
  for (const auto& [name, count] : statistics.pairs()) report["pairs"][name] = count;
  return report;
}

}  // namespace dragoman::run
