#include "smt/phrase_tuning.h"

#include <algorithm>

#include "base/log.h"
#include "base/progress.h"
#include "base/threads.h"
#include "eval/bleu.h"

namespace dragoman::smt {
namespace {

class Tuner {
 public:
  Tuner(PhraseModel model, const PhraseDecoderConfig& decoder, const text::Vocabulary& source,
        const text::Vocabulary& target, const std::vector<TuningPair>& pairs, const TuningConfig& config)
      : model_(model),
        decoder_(decoder),
        source_(source),
        target_(target),
        pairs_(pairs),
        config_(config),
        pool_(pairs.size(), metric_.width()) {}

  Tuned run(const std::vector<Feature>& active) {
    Tuned best{model_.weights, -1};
    for (int round = 1; round <= config_.iterations; ++round) {
      const double score = translate(round);
      log::info("tuning {} of {}: BLEU {:.2f}, {} new translations", round, config_.iterations, score,
                with_commas(added_));
      if (score > best.score) best = {model_.weights, score};
      if (added_ == 0) break;
      if (round == config_.iterations) break;
      MertConfig mert = config_.mert;
      mert.seed += static_cast<std::uint64_t>(round);
      model_.weights = optimise_weights(pool_, metric_, model_.weights, active, mert);
    }
    return best;
  }

 private:
  struct Translated {
    Features features;
    std::vector<double> statistics;
  };

  // Adds the n-best translations of every sentence to the pool; returns the score of the 1-best translations.
  double translate(int round) {
    Progress progress("tuning " + std::to_string(round), static_cast<std::int64_t>(pairs_.size()), "sentences");
    std::vector<std::vector<Translated>> found(pairs_.size());
    threads::each(static_cast<std::int64_t>(pairs_.size()), [&](std::int64_t at) {
      found[static_cast<std::size_t>(at)] = translate_pair(pairs_[static_cast<std::size_t>(at)]);
      progress.advance();
    });
    std::vector<double> sums(metric_.width());
    added_ = 0;
    for (std::size_t s = 0; s < found.size(); ++s) {
      for (const Translated& one : found[s]) added_ += pool_.add(s, one.features, one.statistics);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += found[s][0].statistics[i];
    }
    return metric_.score(sums);
  }

  std::vector<Translated> translate_pair(const TuningPair& pair) const {
    std::vector<std::uint32_t> ids;
    for (const std::string& word : pair.source) ids.push_back(static_cast<std::uint32_t>(source_.find(word)));
    const std::string_view reference[] = {pair.reference};
    std::vector<Translated> all;
    for (const Derivation& derivation : decode_phrases(model_, decoder_, ids, config_.nbest)) {
      Translated& one = all.emplace_back();
      one.features = derivation.features;
      one.statistics.resize(metric_.width());
      std::string text;
      for (const std::string& word : spell(derivation, target_, pair.source)) text += (text.empty() ? "" : " ") + word;
      metric_.count(text, reference, one.statistics);
    }
    return all;
  }

  PhraseModel model_;
  const PhraseDecoderConfig& decoder_;
  const text::Vocabulary& source_;
  const text::Vocabulary& target_;
  const std::vector<TuningPair>& pairs_;
  TuningConfig config_;
  eval::MultiBleu metric_;
  CandidatePool pool_;
  std::int64_t added_ = 0;
};

}  // namespace

std::vector<std::string> spell(const Derivation& derivation, const text::Vocabulary& target,
                               std::span<const std::string> source) {
  std::vector<std::string> words;
  for (const PhraseStep& step : derivation.steps)
    for (const std::uint32_t word : step.words)
      words.push_back(step.copied ? source[step.source_begin] : target.word(static_cast<std::int32_t>(word)));
  return words;
}

Tuned tune_weights(PhraseModel model, const PhraseDecoderConfig& decoder, const text::Vocabulary& source,
                   const text::Vocabulary& target, const std::vector<TuningPair>& pairs,
                   const std::vector<Feature>& active, const TuningConfig& config) {
  for (std::size_t i = 0; i < kFeatures; ++i)
    if (std::find(active.begin(), active.end(), static_cast<Feature>(i)) == active.end()) model.weights[i] = 0;
  return Tuner(model, decoder, source, target, pairs, config).run(active);
}

}  // namespace dragoman::smt
