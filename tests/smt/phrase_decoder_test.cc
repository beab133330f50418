#include "smt/phrase_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "base/random.h"

namespace dragoman::smt {
namespace {

using Sentence = std::vector<std::uint32_t>;

// Random phrases over four source and five target words, with a language model of random text.
struct ToyWorld {
  static constexpr std::uint32_t kSourceWords = 4, kTargetWords = 5, kFirst = 4;
  PhraseTable table;
  NgramModel language_model;
  PhraseModel model;

  explicit ToyWorld(std::uint64_t seed, bool reorders) : language_model(make_language_model(seed)) {
    Random random(seed, 1);
    std::map<std::uint64_t, std::vector<PhraseEntry>> entries;
    const auto add = [&](const Sentence& source, int count) {
      for (int i = 0; i < count; ++i) entries[phrase_hash(source)].push_back(random_entry(random, source.size()));
    };
    for (std::uint32_t a = kFirst; a < kFirst + kSourceWords; ++a) {
      // The last source word is unknown.
      if (a + 1 < kFirst + kSourceWords) add({a}, 2);
      for (std::uint32_t b = kFirst; b < kFirst + kSourceWords; ++b)
        if (random.below(2) == 0) add({a, b}, 1 + static_cast<int>(random.below(2)));
    }
    for (const auto& [name, list] : entries) table.add(name, list);
    model.table = &table;
    model.language_model = &language_model;
    for (double& weight : model.weights) weight = random.uniform(0.05, 1);
    if (!reorders) std::fill_n(model.weights.begin() + index(Feature::previous_monotone), 6, 0.0);
  }

  static PhraseEntry random_entry(Random& random, std::size_t source_length) {
    PhraseEntry entry;
    entry.words.resize(1 + random.below(3));
    for (std::uint32_t& word : entry.words) word = kFirst + static_cast<std::uint32_t>(random.below(kTargetWords));
    for (float& score : entry.translation) score = static_cast<float>(-random.uniform(0, 4));
    for (float& score : entry.reordering) score = static_cast<float>(-random.uniform(0, 3));
    for (std::size_t i = 0; i < entry.words.size(); ++i)
      entry.alignment |= static_cast<std::uint32_t>(random.below(source_length + 1)) << (4 * i);
    return entry;
  }

  static NgramModel make_language_model(std::uint64_t seed) {
    Random random(seed, 2);
    NgramConfig config;
    config.order = 3;
    config.memory = 1;
    NgramEstimator estimates(config, kFirst + kTargetWords);
    for (int s = 0; s < 40; ++s) {
      Sentence sentence(1 + random.below(6));
      for (std::uint32_t& word : sentence) word = kFirst + static_cast<std::uint32_t>(random.below(kTargetWords));
      estimates.add(sentence);
    }
    estimates.finish();
    return NgramModel::build(estimates);
  }

  static Sentence random_source(Random& random, std::size_t length) {
    Sentence source(length);
    for (std::uint32_t& word : source) word = kFirst + static_cast<std::uint32_t>(random.below(kSourceWords));
    return source;
  }
};

// Tries every segmentation, every order within the distortion limit and every translation, and scores each complete
// result from the definition.
class BruteForce {
 public:
  BruteForce(const PhraseModel& model, Sentence source, std::uint32_t limit)
      : model_(model), source_(std::move(source)), limit_(limit), covered_(source_.size()) {
    extend();
  }
  // Score of the best derivation of each distinct translation.
  const std::map<Sentence, double>& best() const { return best_; }

 private:
  struct Step {
    std::uint32_t begin, end;
    PhraseEntry entry;
    bool copied;
  };

  void extend() {
    std::uint32_t gap = 0;
    while (gap < source_.size() && covered_[gap]) ++gap;
    if (gap == source_.size()) {
      record();
      return;
    }
    const std::uint32_t last_end = steps_.empty() ? 0 : steps_.back().end;
    for (std::uint32_t begin = gap; begin < source_.size(); ++begin)
      for (std::uint32_t end = begin + 1; end <= source_.size() && !covered_[end - 1]; ++end) {
        if (std::max(begin, last_end) - std::min(begin, last_end) > limit_) continue;
        if (begin != gap && end - gap > limit_) continue;
        for (Step& step : translations(begin, end)) take(std::move(step));
      }
  }

  std::vector<Step> translations(std::uint32_t begin, std::uint32_t end) const {
    std::vector<PhraseEntry> entries;
    model_.table->find(phrase_hash(Words(source_).subspan(begin, end - begin)), entries);
    std::vector<Step> steps;
    for (const PhraseEntry& entry : entries) steps.push_back({begin, end, entry, false});
    if (entries.empty() && end == begin + 1) {
      PhraseEntry copy;
      copy.words = {0};
      steps.push_back({begin, end, copy, true});
    }
    return steps;
  }

  void take(Step step) {
    for (std::uint32_t i = step.begin; i < step.end; ++i) covered_[i] = true;
    steps_.push_back(std::move(step));
    extend();
    for (std::uint32_t i = steps_.back().begin; i < steps_.back().end; ++i) covered_[i] = false;
    steps_.pop_back();
  }

  void record() {
    const Weights& w = model_.weights;
    double score = 0;
    Sentence words, spelling;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const Step& step = steps_[s];
      for (std::size_t i = 0; i < 4; ++i) score += w[i] * step.entry.translation[i];
      score += w[4] + w[5] * static_cast<double>(step.entry.words.size()) + (step.copied ? -100 : 0);
      const std::uint32_t from_begin = s == 0 ? 0 : steps_[s - 1].begin, from_end = s == 0 ? 0 : steps_[s - 1].end;
      score -= w[6] * std::abs(int(step.begin) - int(from_end));
      const std::size_t o = step.begin == from_end ? 0 : step.end == from_begin ? 1 : 2;
      score += w[7 + o] * step.entry.reordering[o];
      if (s > 0) score += w[10 + o] * steps_[s - 1].entry.reordering[3 + o];
      words.insert(words.end(), step.entry.words.begin(), step.entry.words.end());
      if (step.copied) spelling.push_back(1000 + step.begin);
      if (!step.copied) spelling.insert(spelling.end(), step.entry.words.begin(), step.entry.words.end());
    }
    words.push_back(2);
    NgramState state = model_.language_model->begin(), next;
    for (const std::uint32_t word : words) {
      score += w[13] * std::numbers::ln10 * model_.language_model->score(state, word, next);
      state = next;
    }
    const auto [place, is_new] = best_.try_emplace(spelling, score);
    place->second = std::max(place->second, score);
  }

  const PhraseModel& model_;
  Sentence source_;
  std::uint32_t limit_;
  std::vector<bool> covered_;
  std::vector<Step> steps_;
  std::map<Sentence, double> best_;
};

PhraseDecoderConfig unlimited(int distortion_limit) {
  PhraseDecoderConfig config;
  config.stack = config.pops = 1 << 30;
  config.options = 1000;
  config.distortion_limit = distortion_limit;
  return config;
}

TEST(PhraseDecoder, WithUnlimitedStacksFindsTheExhaustiveOptimum) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const ToyWorld world(seed, seed % 3 != 0);
    Random random(seed, 3);
    const Sentence source = ToyWorld::random_source(random, 1 + seed % 5);
    for (const int limit : {0, 1, 2, 3, 10}) {
      const BruteForce all(world.model, source, static_cast<std::uint32_t>(limit));
      double best = -1e9;
      for (const auto& [words, score] : all.best()) best = std::max(best, score);
      const auto found = decode_phrases(world.model, unlimited(limit), source, 1);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_NEAR(found[0].score, best, 1e-4) << "seed " << seed << ", limit " << limit;
    }
  }
}

TEST(PhraseDecoder, NbestListsAreDistinctSortedAndTheExhaustiveOnes) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const ToyWorld world(seed, seed % 2 == 0);
    Random random(seed, 4);
    const Sentence source = ToyWorld::random_source(random, 2 + seed % 3);
    const BruteForce all(world.model, source, 2);
    std::vector<double> expected;
    for (const auto& [words, score] : all.best()) expected.push_back(score);
    std::sort(expected.rbegin(), expected.rend());
    const auto found = decode_phrases(world.model, unlimited(2), source, 25);
    ASSERT_EQ(found.size(), std::min<std::size_t>(25, expected.size()));
    std::set<Sentence> different;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].score, expected[i], 1e-4) << "seed " << seed << ", number " << i;
      Sentence spelling;
      for (const PhraseStep& step : found[i].steps)
        for (const std::uint32_t word : step.words) spelling.push_back(step.copied ? 1000 + step.source_begin : word);
      EXPECT_TRUE(different.insert(spelling).second);
    }
  }
}

TEST(PhraseDecoder, EveryWordIsTranslatedOnceWithinTheDistortionLimit) {
  const ToyWorld world(5, true);
  Random random(9);
  for (const int limit : {0, 3, 6}) {
    PhraseDecoderConfig config;
    config.stack = 10;
    config.pops = 20;
    config.distortion_limit = limit;
    const Sentence source = ToyWorld::random_source(random, 100);
    for (const Derivation& derivation : decode_phrases(world.model, config, source, 3)) {
      std::vector<int> times(source.size());
      std::uint32_t last_end = 0;
      for (const PhraseStep& step : derivation.steps) {
        EXPECT_LE(std::abs(int(step.source_begin) - int(last_end)), limit);
        for (std::uint32_t i = step.source_begin; i < step.source_end; ++i) ++times[i];
        last_end = step.source_end;
      }
      EXPECT_EQ(times, std::vector<int>(source.size(), 1));
    }
  }
}

TEST(PhraseDecoder, LargerStacksFindBetterTranslations) {
  const ToyWorld world(7, true);
  Random random(1);
  double narrow = 0, wide = 0;
  for (int i = 0; i < 20; ++i) {
    const Sentence source = ToyWorld::random_source(random, 12);
    PhraseDecoderConfig config;
    config.stack = config.pops = 2;
    narrow += decode_phrases(world.model, config, source, 1)[0].score;
    config.stack = config.pops = 500;
    wide += decode_phrases(world.model, config, source, 1)[0].score;
  }
  EXPECT_GT(wide, narrow);
}

TEST(PhraseDecoder, LinesOfTenThousandWordsAndEmptyOnesAreTranslated) {
  const ToyWorld world(3, true);
  Random random(2);
  PhraseDecoderConfig config;
  config.stack = config.pops = 5;
  const auto found = decode_phrases(world.model, config, ToyWorld::random_source(random, 10000), 1);
  std::size_t words = 0;
  for (const PhraseStep& step : found[0].steps) words += step.source_end - step.source_begin;
  EXPECT_EQ(words, 10000u);
  const auto empty = decode_phrases(world.model, config, {}, 5);
  ASSERT_EQ(empty.size(), 1u);
  EXPECT_TRUE(empty[0].words().empty());
}

TEST(PhraseDecoder, SearchesLessOnlyWhereTheSourceRepeatsAFewWords) {
  const PhraseTable empty;
  PhraseModel model;
  model.table = &empty;
  Sentence source;
  const auto add = [&](std::uint32_t words, std::uint32_t distinct) {
    for (std::uint32_t i = 0; i < words; ++i) source.push_back(10 + i % distinct);
  };
  add(200, 5);
  add(100, 4);
  add(200, 5);
  const SentenceOptions options(model, source);
  std::uint32_t repetitive = 0;
  for (std::uint32_t at = 0; at <= options.words(); ++at) repetitive += options.is_repetitive(at);
  EXPECT_FALSE(options.is_repetitive(190));
  EXPECT_TRUE(options.is_repetitive(200));
  EXPECT_TRUE(options.is_repetitive(300));
  EXPECT_FALSE(options.is_repetitive(310));
  EXPECT_GE(repetitive, 100u);
  EXPECT_LE(repetitive, 110u);
  const SentenceOptions brief(model, Sentence(31, 5));
  for (std::uint32_t at = 0; at <= 31; ++at) EXPECT_FALSE(brief.is_repetitive(at)) << at;
}

TEST(PhraseDecoder, ManyEquallyGoodTranslationsAreListedWithoutLookingAtAll) {
  const PhraseTable empty;
  PhraseModel model;
  model.table = &empty;
  model.weights = {};
  const auto found = decode_phrases(model, {}, Sentence(40, 5), 100);
  EXPECT_EQ(found.size(), 100u);
}

TEST(PhraseDecoder, WorksWithoutALanguageModel) {
  ToyWorld world(11, false);
  world.model.language_model = nullptr;
  const auto found = decode_phrases(world.model, unlimited(0), Sentence{4, 5, 6}, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].features[index(Feature::language_model)], 0);
}

}  // namespace
}  // namespace dragoman::smt
