#include <sentencepiece_trainer.h>

#include <algorithm>
#include <set>
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

// The signs that lines may contain.
std::string signs_of(const SignOptions& options) {
  std::string signs;
  if (options.detach_marks) signs += kJoinSign;
  if (options.fold_capitals) signs += kCapitalsSign;
  return signs;
}

// Passes preprocessed lines to SentencePiece's trainer. A last line has the signs, which must occur to be learned.
class PreparedLines final : public sentencepiece::SentenceIterator {
 public:
  PreparedLines(const std::vector<std::string>& lines, const SubwordText& text)
      : lines_(lines), text_(text), last_(signs_of(text.signs)) {
    load();
  }
  bool done() const override { return at_ >= lines_.size() + (last_.empty() ? 0 : 1); }
  void Next() override {
    ++at_;
    load();
  }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void load() {
    if (done()) return;
    line_ = at_ == lines_.size() ? last_ : text_.read(lines_[at_]).text();
    if (text_.signs.detach_marks && at_ < lines_.size()) note_joins();
  }

  // SentencePiece makes a piece only of what different characters follow, but a join sign ends its word, and "-￭" would
  // always be two pieces. So the last line has every mark with the sign and a letter after it.
  void note_joins() {
    for (std::size_t at = line_.find(kJoinSign); at != std::string::npos; at = line_.find(kJoinSign, at + 1)) {
      std::size_t mark = at;
      while (mark > 0 && is_punctuation_or_symbol(code_point_before(line_, mark).code))
        mark -= code_point_before(line_, mark).length;
      const bool starts_word = mark == 0 || line_[mark - 1] == ' ';
      const std::string join = (starts_word ? " " : " a") + line_.substr(mark, at - mark).append(kJoinSign).append("a");
      if (join.size() <= kLongestJoin && joins_.size() < kMostJoins && joins_.insert(join).second) last_ += join;
    }
  }

  static constexpr std::size_t kMostJoins = 1000, kLongestJoin = 16;

  const std::vector<std::string>& lines_;
  SubwordText text_;
  std::string line_, last_;
  std::set<std::string> joins_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<Tokenizer> build_subwords(const LineSource& lines, const SubwordText& text,
                                          const SubwordOptions& options) {
  const std::vector<std::string> sampled = sample_lines(lines, options.sample, options.seed);
  check(!sampled.empty(), "subwords: expected lines to train on, but the corpus is empty");
  log::info("training {} subwords on {} lines", with_commas(options.size),
            with_commas(static_cast<std::int64_t>(sampled.size())));
  PreparedLines source(sampled, text);
  // The number of threads determines the order of sums in unigram training, so it is fixed.
  const std::unordered_map<std::string, std::string> settings = {
      {"model_type", name_of(options.kind)},
      {"vocab_size", std::to_string(options.size)},
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"required_chars", signs_of(text.signs)},
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
  return std::make_unique<SentencePiece>(options.kind, text, std::move(model), options.multiple);
}

}  // namespace dragoman::text
