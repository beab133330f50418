#include "run/make_shortlist.h"

#include <algorithm>

#include "base/counted.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/threads.h"
#include "data/pair_reader.h"
#include "dragoman/scorer.h"
#include "run/output_files.h"
#include "store/model_file.h"
#include "text/tokenizer_file.h"

namespace dragoman::run {
namespace {

using Tokens = std::vector<std::int32_t>;

// Pairs that the fit is measured on, from which nothing is learned: so many, or a tenth of the text.
constexpr std::size_t kMeasured = 2000;
// Pairs that the model scores in both directions, and the tokens of either side that they have at most.
constexpr std::size_t kScored = 64, kScoredTokens = 40;
constexpr double kMargin = 0.5;       // by which they are likelier per token, in nats
constexpr double kMostUnknown = 0.3;  // of the tokens of a side

// The parallel text in tokens of the model.
class TokenReader {
 public:
  TokenReader(const store::ModelInfo& info, const ShortlistOptions& options)
      : source_(text::deserialize_tokenizer(info.source_tokenizer)),
        target_(text::deserialize_tokenizer(info.target_tokenizer)),
        options_(options),
        pairs_(static_cast<std::size_t>(options.max_tokens)) {}

  void read() {
    draw();
    const std::size_t measured = std::min(kMeasured, (lines_.size() + 9) / 10);
    std::vector<std::pair<Tokens, Tokens>> tokens(lines_.size());
    threads::each(std::ssize(lines_), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      source_->encode(lines_[at].source, tokens[at].first);
      target_->encode(lines_[at].target, tokens[at].second);
      const bool is_scored = at < kScored && !tokens[at].first.empty() && !tokens[at].second.empty() &&
                             std::max(tokens[at].first.size(), tokens[at].second.size()) <= kScoredTokens;
      if (!is_scored) lines_[at] = {};
    });
    const bool has_tags = !source_->language_tags().languages.empty();
    for (std::size_t i = 0; i < std::min(kScored, lines_.size()) && !has_tags; ++i)
      if (!lines_[i].source.empty()) scored_.push_back({lines_[i].source, lines_[i].target});
    lines_ = {};
    warn_of_unknown("source", *source_, tokens, &std::pair<Tokens, Tokens>::first);
    warn_of_unknown("target", *target_, tokens, &std::pair<Tokens, Tokens>::second);
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (i < measured && tokens.size() > 1)
        sample_.push_back(std::move(tokens[i]));
      else
        pairs_.add(tokens[i].first, tokens[i].second);
    check(pairs_.bitext().source().tokens() > 0,
          "no pair of the text has tokens on both sides, so nothing can be learned");
    if (pairs_.bitext().too_long() > 0)
      log::info("left out {} with more than {} tokens on a side", counted(pairs_.bitext().too_long(), "pair"),
                options_.max_tokens);
  }

  const align::TokenPairs& pairs() const { return pairs_; }
  // Pairs that are not among them, as tokens.
  const std::vector<std::pair<Tokens, Tokens>>& sample() const { return sample_; }
  // Some short pairs, as text. None for a model whose texts begin with tags of languages.
  const std::vector<SentencePair>& scored() const { return scored_; }
  std::int32_t end() const { return target_->special().end; }
  std::int32_t unknown() const { return target_->special().unknown; }

 private:
  static void warn_of_unknown(const char* side, const text::Tokenizer& tokenizer,
                              const std::vector<std::pair<Tokens, Tokens>>& pairs,
                              Tokens std::pair<Tokens, Tokens>::*tokens) {
    std::ptrdiff_t unknown = 0, all = 0;
    for (const auto& pair : pairs) {
      unknown += std::count((pair.*tokens).begin(), (pair.*tokens).end(), tokenizer.special().unknown);
      all += std::ssize(pair.*tokens);
    }
    if (static_cast<double>(unknown) > kMostUnknown * static_cast<double>(all))
      log::warning(
          "the model does not know {} of the {} {} tokens; are --source and --target exchanged, or the text of another "
          "kind than the model's?",
          with_commas(unknown), with_commas(all), side);
  }

  // Draws pairs from the whole text, each with the same probability (reservoir sampling).
  void draw() {
    Random random(1);
    Progress progress("reading", 0, "pairs");
    const auto most = static_cast<std::uint64_t>(options_.pairs);
    std::uint64_t read = 0;
    for (const data::Corpus& corpus : options_.corpus.corpora()) {
      const auto reader = data::PairReader::open(corpus, options_.reading);
      for (data::Pair pair; reader->next(pair); progress.advance(1)) {
        if (++read <= most)
          lines_.push_back(std::move(pair));
        else if (const std::uint64_t place = random.below(read); place < most)
          lines_[place] = std::move(pair);
      }
    }
    random.shuffle(lines_);
  }

  std::unique_ptr<text::Tokenizer> source_, target_;
  const ShortlistOptions& options_;
  align::TokenPairs pairs_;
  std::vector<data::Pair> lines_;
  std::vector<std::pair<Tokens, Tokens>> sample_;
  std::vector<SentencePair> scored_;
};

// Warns if the model finds the pairs likelier the other way round. Also finds a damaged model before the text is
// aligned.
void check_direction(const std::string& model, std::vector<SentencePair> pairs) {
  const Scorer scorer(model, {.device = "cpu"});
  if (pairs.empty()) return;
  const auto log_p = [&] {
    double sum = 0, tokens = 0;
    for (const ScoredPair& score : scorer.score(pairs))
      sum += score.log_probability, tokens += static_cast<double>(score.token_scores.size());
    return sum / tokens;
  };
  double forward = 0, backward = 0;
  try {
    forward = log_p();
    for (SentencePair& pair : pairs) std::swap(pair.source, pair.target);
    backward = log_p();
  } catch (const Error&) {
    return;  // a pair is too long for the model
  }
  if (backward > forward + kMargin)
    log::warning(
        "the model finds the text likelier with its sides exchanged (log p per token {:.2f} instead of {:.2f}); give "
        "--source the language that it translates from",
        backward, forward);
}

align::Shortlist learn(const TokenReader& text, const store::ModelInfo& info, const ShortlistOptions& options) {
  const align::Bitext& bitext = text.pairs().bitext();
  align::Cooccurrence cooccurrence(bitext);
  align::EmTraining training(bitext, cooccurrence, options.train);
  training.run([&](const align::Iteration& iteration, const align::Directions&) {
    log::info("{} {}: log p per token {:.4f}", name_of(iteration.kind), iteration.number,
              iteration.forward / static_cast<double>(bitext.target().tokens()));
  });
  return text.pairs().shortlist(
      training.table(), {info.config.source_vocabulary, info.config.target_vocabulary},
      {.best = options.best, .frequent = options.frequent, .copies = info.source_tokenizer == info.target_tokenizer});
}

ShortlistFit measure(const align::Shortlist& shortlist, const TokenReader& text, int vocabulary) {
  ShortlistFit fit{.pairs = text.sample().size(), .vocabulary = vocabulary};
  std::size_t covered = 0, all = 0;
  for (const auto& [source, target] : text.sample()) {
    const Tokens words = shortlist.choose(source, Tokens{text.end(), text.unknown()});
    fit.words += static_cast<double>(words.size()) / static_cast<double>(text.sample().size());
    for (const std::int32_t token : target) {
      if (token == text.unknown()) continue;
      covered += std::binary_search(words.begin(), words.end(), token) ? 1 : 0;
      ++all;
    }
  }
  fit.coverage = all > 0 ? static_cast<double>(covered) / static_cast<double>(all) : 0;
  return fit;
}

}  // namespace

ShortlistFit make_shortlist(const std::string& model, const ShortlistOptions& options) {
  check(!options.output.empty(), "expected --output FILE, the model file to write");
  check(!options.corpus.source.empty(), "expected --source FILE and --target FILE, a parallel text to learn from");
  std::vector<NamedFile> inputs = named_files(options.corpus);
  inputs.push_back({"MODEL", model});
  check_output_files(inputs, {{"--output", options.output}});
  const store::ModelInfo info = store::ModelFile(model).info();
  check(info.config.classes == 0, "{}: is a classifier, which writes no words", model);
  check(!info.source_tokenizer.empty() && !info.target_tokenizer.empty(),
        "{}: contains no vocabularies, so no text can be aligned in its tokens", model);
  if (!info.shortlist.empty()) log::info("{} has a shortlist: it is replaced in the copy", model);
  TokenReader text(info, options);
  text.read();
  check_direction(model, text.scored());
  const align::Shortlist shortlist = learn(text, info, options);
  store::save_with_shortlist(model, shortlist,
                             fmt::format("{} best of each source token, {} frequent", options.best, options.frequent),
                             options.output);
  return measure(shortlist, text, info.config.target_vocabulary);
}

}  // namespace dragoman::run
