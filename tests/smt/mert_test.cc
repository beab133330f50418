#include "smt/mert.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "eval/bleu.h"

namespace dragoman::smt {
namespace {

// Random candidates for random sentences; features are independent of quality.
CandidatePool random_pool(const eval::Metric& metric, std::uint64_t seed, std::size_t sentences,
                          std::size_t candidates) {
  Random random(seed);
  const auto line = [&] {
    std::string text;
    for (std::uint64_t left = 4 + random.below(8); left > 0; --left) {
      if (!text.empty()) text += ' ';
      text += static_cast<char>('a' + random.below(3));
    }
    return text;
  };
  CandidatePool pool(sentences, metric.width());
  std::vector<double> statistics(metric.width());
  for (std::size_t s = 0; s < sentences; ++s) {
    const std::string reference = line();
    const std::string_view references[] = {reference};
    for (std::size_t c = 0; c < candidates; ++c) {
      Features features{};
      for (double& feature : features) feature = random.normal();
      metric.count(line(), references, statistics);
      pool.add(s, features, statistics);
    }
  }
  return pool;
}

Weights random_weights(Random& random) {
  Weights weights{};
  for (double& weight : weights) weight = random.normal();
  return weights;
}

Weights moved(const Weights& weights, const Weights& direction, double step) {
  Weights result = weights;
  for (std::size_t i = 0; i < kFeatures; ++i) result[i] += step * direction[i];
  return result;
}

// Evaluates the metric between all steps at which two candidates of a sentence have the same score.
double best_by_brute_force(const CandidatePool& pool, const eval::Metric& metric, const Weights& weights,
                           const Weights& direction) {
  std::vector<double> steps;
  for (std::size_t s = 0; s < pool.sentences(); ++s)
    for (const Features& a : pool.features(s))
      for (const Features& b : pool.features(s)) {
        const double slope = dot(direction, a) - dot(direction, b);
        if (slope != 0) steps.push_back((dot(weights, b) - dot(weights, a)) / slope);
      }
  std::sort(steps.begin(), steps.end());
  double best = std::max(score_at(pool, metric, moved(weights, direction, steps.front() - 1)),
                         score_at(pool, metric, moved(weights, direction, steps.back() + 1)));
  for (std::size_t i = 0; i + 1 < steps.size(); ++i)
    best = std::max(best, score_at(pool, metric, moved(weights, direction, (steps[i] + steps[i + 1]) / 2)));
  return best;
}

TEST(Mert, LineSearchFindsTheBestPointOfTheWholeLine) {
  const eval::MultiBleu metric;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const CandidatePool pool = random_pool(metric, seed, 6, 7);
    Random random(seed, 1);
    const Weights weights = random_weights(random);
    const Weights direction = random_weights(random);
    const LinePoint found = search_line(pool, metric, weights, direction);
    EXPECT_NEAR(found.score, best_by_brute_force(pool, metric, weights, direction), 1e-4);
    EXPECT_NEAR(found.score, score_at(pool, metric, moved(weights, direction, found.step)), 1e-4)
        << "the returned score is the score at the returned step";
  }
}

TEST(Mert, StaysWhereItIsWhenNothingIsBetter) {
  const eval::MultiBleu metric;
  CandidatePool pool(1, metric.width());
  const std::string_view reference[] = {"a b c d e"};
  std::vector<double> statistics(metric.width());
  metric.count("a b c d e", reference, statistics);
  pool.add(0, Features{1}, statistics);
  EXPECT_EQ(search_line(pool, metric, default_weights(), Weights{1}).step, 0);
}

TEST(Mert, FindsTheFeatureThatTellsGoodFromBad) {
  const eval::MultiBleu metric;
  CandidatePool pool(20, metric.width());
  Random random(3);
  std::vector<double> statistics(metric.width());
  const std::string_view reference[] = {"one two three four five"};
  for (std::size_t s = 0; s < pool.sentences(); ++s)
    for (int c = 0; c < 10; ++c) {
      Features features{};
      for (double& feature : features) feature = random.normal();
      features[2] = c == 7 ? 1 : 0;
      metric.count(c == 7 ? "one two three four five" : "one two three five four", reference, statistics);
      pool.add(s, features, statistics);
    }
  const std::vector<Feature> active = {Feature::phrase_inverse, Feature::lexical_inverse, Feature::phrase_direct,
                                       Feature::words};
  const Weights start = default_weights();
  const Weights tuned = optimise_weights(pool, metric, start, active, {});
  EXPECT_LT(score_at(pool, metric, start), 99);
  EXPECT_NEAR(score_at(pool, metric, tuned), 100, 1e-6);
  EXPECT_GT(tuned[2], 0);
}

TEST(Mert, SameSeedGivesTheSameWeightsAndOnlyActiveOnesMove) {
  const eval::MultiBleu metric;
  const CandidatePool pool = random_pool(metric, 9, 10, 8);
  Weights start{};
  start[0] = 1;
  const std::vector<Feature> active = {Feature::phrase_inverse, Feature::words};
  const Weights a = optimise_weights(pool, metric, start, active, {});
  EXPECT_EQ(a, optimise_weights(pool, metric, start, active, {}));
  for (std::size_t i = 1; i < kFeatures; ++i) EXPECT_TRUE(a[i] == 0 || i == index(Feature::words)) << i;
  EXPECT_GE(score_at(pool, metric, a), score_at(pool, metric, start));
}

TEST(Mert, KnownCandidatesAreNotAddedAgain) {
  const eval::MultiBleu metric;
  CandidatePool pool(1, metric.width());
  const std::vector<double> statistics(metric.width(), 1);
  EXPECT_TRUE(pool.add(0, Features{1, 2}, statistics));
  EXPECT_FALSE(pool.add(0, Features{1, 2}, statistics));
  EXPECT_TRUE(pool.add(0, Features{1, 3}, statistics));
}

}  // namespace
}  // namespace dragoman::smt
