#include <sentencepiece_trainer.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/quote.h"
#include "text/build.h"

namespace dragoman::text {
namespace {

// A uniform sample of at most `limit` lines, in their order.
std::vector<std::string> sample_lines(const LineSource& lines, std::int64_t limit, std::uint64_t seed) {
  std::vector<std::pair<std::int64_t, std::string>> kept;
  Random random(seed);
  std::string line;
  for (std::int64_t index = 0; lines(line); ++index) {
    if (index < limit) {
      kept.emplace_back(index, line);
    } else if (const std::uint64_t place = random.below(static_cast<std::uint64_t>(index) + 1);
               place < static_cast<std::uint64_t>(limit)) {
      kept[place] = {index, line};
    }
  }
  std::sort(kept.begin(), kept.end());
  std::vector<std::string> sampled;
  for (auto& [index, text] : kept) sampled.push_back(std::move(text));
  return sampled;
}

// Passes preprocessed lines to SentencePiece's trainer.
class PreparedLines final : public sentencepiece::SentenceIterator {
 public:
  PreparedLines(const std::vector<std::string>& lines, const PrepareOptions& options)
      : lines_(lines), options_(options) {
    load();
  }
  bool done() const override { return at_ >= lines_.size(); }
  void Next() override {
    ++at_;
    load();
  }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void load() {
    if (!done()) line_ = prepare(lines_[at_], options_).text();
  }

  const std::vector<std::string>& lines_;
  PrepareOptions options_;
  std::size_t at_ = 0;
  std::string line_;
};

}  // namespace

std::unique_ptr<Tokenizer> build_subwords(const LineSource& lines, const PrepareOptions& prepare,
                                          const SubwordOptions& options) {
  const std::vector<std::string> sampled = sample_lines(lines, options.sample, options.seed);
  check(!sampled.empty(), "subwords: expected lines to train on, but the corpus is empty");
  log::info("training {} subwords on {} lines", with_commas(options.size),
            with_commas(static_cast<std::int64_t>(sampled.size())));
  PreparedLines source(sampled, prepare);
  // The number of threads determines the order of sums in unigram training, so it is fixed.
  const std::unordered_map<std::string, std::string> settings = {
      {"model_type", name_of(options.kind)},
      {"vocab_size", std::to_string(options.size)},
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"split_digits", options.split_digits ? "true" : "false"},
      {"normalization_rule_name", "identity"},
      {"hard_vocab_limit", "false"},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", "3"},
      {"unk_surface", "<unk>"},
      {"max_sentence_length", "65536"},
      {"num_threads", "8"},
      {"minloglevel", "2"}};
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &source, &model);
  if (!status.ok()) {
    log::debug("SentencePiece: {}", excerpt(status.message()));
    fail(
        "subwords: SentencePiece cannot train {} pieces on {} lines; mostly because the text has more different "
        "characters than that: ask for more pieces, or lower the character coverage",
        options.size, sampled.size());
  }
  return std::make_unique<SentencePiece>(options.kind, prepare, std::move(model), options.multiple);
}

}  // namespace dragoman::text
