#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/options.h"
#include "data/pair_reader.h"
#include "data/script.h"

namespace dragoman::data {

// Which pairs are worth keeping. Every filter is off by default; lengths are in words (between white space).
struct FilterOptions {
  bool drop_empty = false, drop_identical = false, drop_duplicates = false;
  std::int64_t min_words = 0, max_words = 0;
  double max_ratio = 0, min_word_characters = 0, max_word_characters = 0;
  Script source_script = Script::any, target_script = Script::any;
  double script_share = 0.5;

  template <class V>
  void visit(V& v) {
    v("drop-empty", drop_empty, "drop pairs with an empty side");
    v("drop-identical", drop_identical, "drop pairs whose sides are equal");
    v("drop-duplicates", drop_duplicates, "drop pairs that came before");
    v("min-words", min_words, "drop pairs with a shorter side; 0 keeps all", at_least(0));
    v("max-words", max_words, "drop pairs with a longer side; 0 keeps all", at_least(0));
    v("max-ratio", max_ratio, "drop pairs where one side has more than this times the other's words; 0 keeps all",
      at_least(0));
    v("min-word-characters", min_word_characters, "drop pairs with a side of shorter words on average; 0 keeps all",
      at_least(0));
    v("max-word-characters", max_word_characters, "drop pairs with a side of longer words on average; 0 keeps all",
      at_least(0));
    v("source-script", source_script, "drop pairs whose source is written in another script");
    v("target-script", target_script, "drop pairs whose target is written in another script");
    v("script-share", script_share, "share of the letters that must be of that script", between(0, 1));
  }
};

// What became of the pairs of a corpus: a name and how many.
using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

// One reason to drop a pair.
class Filter {
 public:
  virtual ~Filter() = default;
  virtual const char* name() const = 0;
  // May remember pairs, so ask once for each, in order.
  virtual bool keeps(const Pair& pair) = 0;
};

// The filters of `options`, cheapest first; a pair is charged to the first that drops it.
class Filters {
 public:
  explicit Filters(const FilterOptions& options);

  bool keeps(const Pair& pair);
  std::uint64_t kept() const { return kept_; }
  // Name of each active filter and how many pairs it dropped.
  Counts dropped() const;

 private:
  std::vector<std::unique_ptr<Filter>> filters_;
  std::vector<std::uint64_t> dropped_;
  std::uint64_t kept_ = 0;
};

// The whole account of one pass: read, skipped, repaired, dropped by each active filter, kept.
Counts count_pairs(const ReadingReport& reading, const Filters& filters);

}  // namespace dragoman::data
