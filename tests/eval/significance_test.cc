#include "eval/significance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "base/threads.h"

namespace dragoman::eval {
namespace {

// Statistics: a value and a one; the score is the mean, whose resampling distribution is known.
class Mean : public Metric {
 public:
  std::string key() const override { return "mean"; }
  std::string name() const override { return "mean"; }
  std::string signature(std::size_t) const override { return ""; }
  std::size_t width() const override { return 2; }
  void count(std::string_view, std::span<const std::string_view>, std::span<double>) const override {}
  double score(std::span<const double> sums) const override { return sums[0] / sums[1]; }
};

Statistics normal_values(std::size_t rows, double mean, std::uint64_t seed) {
  Statistics statistics(rows, 2);
  Random random(seed);
  for (std::size_t i = 0; i < rows; ++i) {
    statistics.row(i)[0] = mean + random.normal();
    statistics.row(i)[1] = 1;
  }
  return statistics;
}

// `other` plus a shift and independent noise.
Statistics shifted(const Statistics& other, double shift, std::uint64_t seed) {
  Statistics statistics = other;
  Random random(seed);
  for (std::size_t i = 0; i < statistics.rows(); ++i) statistics.row(i)[0] += shift + random.normal();
  return statistics;
}

TEST(Bootstrap, IntervalOfAMeanIsTheTextbookOne) {
  const Statistics statistics = normal_values(2000, 10, 1);
  const Confidence result = confidence(bootstrap_scores(Mean(), statistics, 4000, 7));
  const std::vector<double> sums = statistics.sum();
  double variance = 0;
  for (std::size_t i = 0; i < statistics.rows(); ++i)
    variance += std::pow(statistics.row(i)[0] - sums[0] / sums[1], 2) / 2000;
  EXPECT_NEAR(result.mean, sums[0] / sums[1], 0.002);
  EXPECT_NEAR(result.half_width, 1.96 * std::sqrt(variance / 2000), 0.003);
}

TEST(Bootstrap, IsAFunctionOfTheSeedAndNotOfTheThreads) {
  const Statistics statistics = normal_values(101, 0, 2);
  threads::set_count(1);
  const auto one = bootstrap_scores(Mean(), statistics, 100, 7);
  threads::set_count(4);
  EXPECT_EQ(bootstrap_scores(Mean(), statistics, 100, 7), one);
  EXPECT_NE(bootstrap_scores(Mean(), statistics, 100, 8), one);
  threads::set_count(0);
}

TEST(Bootstrap, DrawsEverySentenceEquallyOften) {
  // One sentence has the value 1, the others 0: its mean over all resamples is 1 / rows.
  Statistics statistics(7, 2);
  for (std::size_t i = 0; i < 7; ++i) statistics.row(i)[1] = 1;
  statistics.row(6)[0] = 1;
  EXPECT_NEAR(confidence(bootstrap_scores(Mean(), statistics, 20000, 3)).mean, 1 / 7.0, 0.005);
}

struct Tests {
  double bootstrap, randomization;
};

Tests both_tests(const Statistics& baseline, const Statistics& system, std::uint64_t seed) {
  const Mean metric;
  const double difference = metric.score(system.sum()) - metric.score(baseline.sum());
  return {paired_bootstrap(bootstrap_scores(metric, baseline, 500, seed), bootstrap_scores(metric, system, 500, seed),
                           difference),
          approximate_randomization(metric, baseline, system, 1000, seed)};
}

TEST(PairedTests, FindALargeDifferenceAndNotNone) {
  const Statistics baseline = normal_values(500, 0, 5);
  const Tests large = both_tests(baseline, shifted(baseline, 0.3, 6), 1);
  EXPECT_LT(large.bootstrap, 0.01);
  EXPECT_LT(large.randomization, 0.01);
  const Tests same = both_tests(baseline, baseline, 1);
  EXPECT_GT(same.randomization, 0.0);
  EXPECT_LE(same.randomization, 1.0 / 1001 + 1e-12);  // ties with a difference of zero do not count as extreme
}

TEST(ApproximateRandomization, UnderNoDifferenceGivesEvenlySpreadProbabilities) {
  std::vector<double> values;
  for (std::uint64_t round = 0; round < 200; ++round) {
    const Statistics baseline = normal_values(60, 0, 100 + round);
    values.push_back(approximate_randomization(Mean(), baseline, shifted(baseline, 0, 900 + round), 400, round));
  }
  std::sort(values.begin(), values.end());
  EXPECT_NEAR(values[50], 0.25, 0.1);
  EXPECT_NEAR(values[100], 0.5, 0.1);
  EXPECT_NEAR(values[150], 0.75, 0.1);
}

// With four sentences, all 16 swaps can be enumerated.
TEST(ApproximateRandomization, AgreesWithTheExactTestOnAFewSentences) {
  const double a[4] = {1, 2, 3, 4}, b[4] = {2, 2.5, 2, 6};
  Statistics baseline(4, 2), system(4, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    baseline.row(i)[0] = a[i];
    system.row(i)[0] = b[i];
    baseline.row(i)[1] = system.row(i)[1] = 1;
  }
  int extreme = 0;
  for (unsigned swap = 0; swap < 16; ++swap) {
    double difference = 0;
    for (unsigned i = 0; i < 4; ++i) difference += (swap >> i & 1u) != 0 ? a[i] - b[i] : b[i] - a[i];
    extreme += std::abs(difference) / 4 > (12.5 - 10) / 4 + 1e-12 ? 1 : 0;
  }
  EXPECT_NEAR(approximate_randomization(Mean(), baseline, system, 40000, 3), extreme / 16.0, 0.01);
}

TEST(ApproximateRandomization, IsAFunctionOfTheSeedAndNotOfTheThreads) {
  const Statistics baseline = normal_values(99, 0, 2), system = shifted(baseline, 0.05, 3);
  threads::set_count(1);
  const double one = approximate_randomization(Mean(), baseline, system, 999, 7);
  threads::set_count(3);
  EXPECT_EQ(approximate_randomization(Mean(), baseline, system, 999, 7), one);
  threads::set_count(0);
}

}  // namespace
}  // namespace dragoman::eval
