#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "data/corpus.h"
#include "data/filters.h"
#include "data/pair_reader.h"
#include "data/statistics.h"
#include "text/tokenizer.h"

namespace dragoman::run {

struct StatisticsOptions {
  std::int64_t min_count = 1;
  std::string tokenizer, target_tokenizer;
  data::CorpusOptions corpus;
  data::ReadingOptions reading;
  data::FilterOptions filters;

  template <class V>
  void visit(V& v) {
    v("min-count", min_count, "rarer words become unknown", at_least(1));
    v("tokenizer", tokenizer, "count tokens of this vocabulary, a file made by `dragoman vocab`, instead of words");
    v("target-tokenizer", target_tokenizer, "the same for the target; empty means the same as `tokenizer`");
    v.section("Reading");
    corpus.visit_columns(v);
    reading.visit(v);
    v.section("Filters");
    filters.visit(v);
  }
};

// Counts of a corpus with two sides or one.
class CorpusStatistics {
 public:
  // Reads options.corpus: two files, one with columns, or one with one sentence per line, which has no target side: the
  // format is `lines`, or automatic and the name does not end like that of a table (.tsv, .txt, .csv).
  explicit CorpusStatistics(const StatisticsOptions& options);

  const data::SideStatistics& source() const { return source_; }
  bool has_target() const { return corpus_.format != data::Format::lines || !corpus_.target.empty(); }
  // Only if has_target().
  const data::SideStatistics& target() const { return target_; }
  // Pairs read, left out for each reason, and kept.
  const data::Counts& pairs() const { return pairs_; }
  std::uint64_t min_count() const { return min_count_; }

 private:
  data::Corpus corpus_;
  std::unique_ptr<text::Tokenizer> source_tokenizer_, target_tokenizer_;
  std::uint64_t min_count_;
  data::SideStatistics source_, target_;
  data::Counts pairs_;
};

nlohmann::ordered_json to_json(const CorpusStatistics& statistics);

}  // namespace dragoman::run
