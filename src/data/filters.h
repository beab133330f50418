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

// Which pairs to keep. All filters are off by default; lengths are in words separated by white space.
struct FilterOptions {
  bool drop_empty = false, drop_identical = false, drop_duplicates = false;
  std::int64_t min_words = 0, max_words = 0;
  double max_ratio = 0, min_word_characters = 0, max_word_characters = 0;
  Script source_script = Script::any, target_script = Script::any;
  double script_share = 0.5;
  bool labels = false;  // the targets are labels: limits on words and characters are for the sources only

  template <class V>
  void visit(V& v) {
    v("drop-empty", drop_empty, "drop pairs with an empty side");
    v("drop-identical", drop_identical, "drop pairs whose two sides are identical");
    v("drop-duplicates", drop_duplicates, "drop repeated pairs");
    v("min-words", min_words, "minimum number of words per side; 0 means no limit", at_least(0));
    v("max-words", max_words, "maximum number of words per side; 0 means no limit", at_least(0));
    v("max-ratio", max_ratio, "maximum ratio of the two sides' numbers of words; 0 means no limit", at_least(0));
    v("min-word-characters", min_word_characters,
      "minimum average number of characters per word, on each side; 0 means no limit", at_least(0));
    v("max-word-characters", max_word_characters,
      "maximum average number of characters per word, on each side; 0 means no limit", at_least(0));
    v("source-script", source_script, "drop pairs whose source is in another script");
    v("target-script", target_script, "drop pairs whose target is in another script");
    v("script-share", script_share, "minimum fraction of letters in the given script", between(0, 1));
    v.only_if(
        "script-share", [this] { return source_script != Script::any || target_script != Script::any; },
        "no script is given (source-script, target-script)");
  }
};

// Named counts: what happened to the pairs of a corpus.
using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

// One criterion for dropping pairs.
class Filter {
 public:
  virtual ~Filter() = default;
  virtual const char* name() const = 0;
  // May remember pairs (for duplicates), so call it once per pair, in order.
  virtual bool keeps(const Pair& pair) = 0;
};

// The filters of `options`, cheapest first. A dropped pair is counted for the first filter that rejects it.
class Filters {
 public:
  explicit Filters(const FilterOptions& options);

  bool keeps(const Pair& pair);
  std::uint64_t kept() const { return kept_; }
  // The number of dropped pairs per active filter.
  Counts dropped() const;

 private:
  std::vector<std::unique_ptr<Filter>> filters_;
  std::vector<std::uint64_t> dropped_;
  std::uint64_t kept_ = 0;
};

// All counts of one pass: read, skipped, repaired, dropped per active filter, kept.
Counts count_pairs(const ReadingReport& reading, const Filters& filters);

}  // namespace dragoman::data
