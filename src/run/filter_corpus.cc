#include "run/filter_corpus.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/random.h"
#include "data/pair_writer.h"
#include "run/output_files.h"
#include "text/word_tokenizer.h"

namespace dragoman::run {
namespace {

using data::Pair;

// Splits one side into words; does nothing for text that is tokenised already.
class Splitter {
 public:
  explicit Splitter(text::Language language) {
    if (language != text::Language::tokenized) rules_.emplace(text::WordOptions{.language = language});
  }
  std::string operator()(const std::string& line) const {
    if (!rules_) return line;
    std::string words;
    for (const text::Word& word : rules_->tokenize(line)) words.append(words.empty() ? "" : " ").append(word.text);
    return words;
  }

 private:
  std::optional<text::WordRules> rules_;
};

// Writes pairs, or a random sample of them (reservoir sampling: Vitter 1985, algorithm R), in the order in which they
// come.
class Output {
 public:
  explicit Output(const FilterCorpusOptions& options)
      : writer_(options.output_source, options.output_target),
        sample_(static_cast<std::uint64_t>(options.sample)),
        random_(options.seed) {}

  void add(Pair& pair) {
    pair.line = ++seen_;
    if (sample_ == 0) return writer_.write(pair);
    if (chosen_.size() < sample_) {
      chosen_.push_back(std::move(pair));
    } else if (const std::uint64_t at = random_.below(seen_); at < sample_) {
      chosen_[at] = std::move(pair);
    }
  }
  void commit() {
    std::sort(chosen_.begin(), chosen_.end(), [](const Pair& a, const Pair& b) { return a.line < b.line; });
    for (const Pair& pair : chosen_) writer_.write(pair);
    writer_.commit();
  }
  std::uint64_t seen() const { return seen_; }
  std::uint64_t written() const { return writer_.written(); }

 private:
  data::PairWriter writer_;
  std::uint64_t sample_, seen_ = 0;
  std::vector<Pair> chosen_;
  Random random_;
};

// One pass over all corpora.
class Pass {
 public:
  explicit Pass(const FilterCorpusOptions& options)
      : options_(options),
        split_source_(options.source_language),
        split_target_(options.target_language),
        filters_(options.filters),
        output_(options) {}

  data::Counts run() {
    for (const data::Corpus& corpus : options_.corpus.corpora())
      if (!is_full()) read(corpus);
    progress_.finish();
    output_.commit();
    data::Counts counts = data::count_pairs(reading_, filters_);
    if (options_.skip > 0 || options_.head > 0 || options_.sample > 0)
      counts.emplace_back("written", output_.written());
    return counts;
  }

 private:
  bool is_full() const { return options_.head > 0 && output_.seen() == static_cast<std::uint64_t>(options_.head); }

  void read(const data::Corpus& corpus) {
    const auto reader = data::PairReader::open(corpus, options_.reading);
    std::int64_t unshown = 0;
    for (Pair pair; !is_full() && reader->next(pair);) {
      take(pair);
      if (++unshown == 4096) progress_.advance(std::exchange(unshown, 0));
    }
    progress_.advance(unshown);
    reading_ += reader->report();
  }

  void take(Pair& pair) {
    const bool kept = filters_.keeps({split_source_(pair.source), split_target_(pair.target), pair.line});
    if (kept && filters_.kept() > static_cast<std::uint64_t>(options_.skip)) output_.add(pair);
  }

  const FilterCorpusOptions& options_;
  Splitter split_source_, split_target_;
  data::Filters filters_;
  data::ReadingReport reading_;
  Output output_;
  Progress progress_{"filtering", 0, "pairs"};
};

}  // namespace

data::Counts filter_corpus(const FilterCorpusOptions& options) {
  check_output_files({}, {{"--output-source", options.output_source}, {"--output-target", options.output_target}});
  return Pass(options).run();
}

}  // namespace dragoman::run
