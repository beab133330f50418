#include "align/position_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "align/hmm.h"
#include "base/random.h"
#include "tests/support/errors.h"

namespace dragoman::align {
namespace {

PairMatrix random_emissions(Random& random, int rows, int columns) {
  PairMatrix emissions;
  emissions.resize(rows, columns);
  for (float& value : emissions.word) value = static_cast<float>(random.uniform(0.001, 1));
  for (float& value : emissions.null) value = static_cast<float>(random.uniform(0.001, 1));
  return emissions;
}

std::vector<double> random_jumps(Random& random) {
  std::vector<double> jumps;
  for (int d = 0; d < Hmm::kJumps; ++d) jumps.push_back(random.uniform(0.01, 1));
  return jumps;
}

// Sums over all alignments: each row takes a column or -1, which is NULL.
struct Enumeration {
  const PairMatrix& emissions;
  const std::vector<double> jumps;  // the model's parameters
  const double null;
  double total = 0;
  std::vector<double> word, none, jump_counts;
  std::vector<int> choice;
  std::vector<int> taken;  // jumps of the current alignment

  Enumeration(const PairMatrix& e, std::vector<double> j, double n) : emissions(e), jumps(std::move(j)), null(n) {
    word.resize(e.word.size());
    none.resize(e.rows);
    jump_counts.resize(Hmm::kJumps);
    choice.resize(e.rows);
    visit(0, -1, 1);
  }
  double jump(int from, int to) const {
    double sum = 0;
    for (int i = 0; i < emissions.columns; ++i) sum += jumps[i - from + Hmm::kReach];
    return jumps[to - from + Hmm::kReach] / sum;
  }
  void visit(int row, int last, double probability) {
    if (row == emissions.rows) {
      total += probability;
      for (int j = 0; j < emissions.rows; ++j)
        (choice[j] < 0 ? none[j] : word[static_cast<std::size_t>(j) * emissions.columns + choice[j]]) += probability;
      for (const int d : taken) jump_counts[d + Hmm::kReach] += probability;
      return;
    }
    choice[row] = -1;
    visit(row + 1, last, probability * null * emissions.null[row]);
    for (int i = 0; i < emissions.columns; ++i) {
      choice[row] = i;
      taken.push_back(i - last);
      visit(row + 1, i, probability * (1 - null) * jump(last, i) * emissions.row(row)[i]);
      taken.pop_back();
    }
  }
};

TEST(Hmm, ForwardAndBackwardEqualTheSumOverAllAlignments) {
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    const int rows = 1 + static_cast<int>(random.below(5));
    const int columns = 1 + static_cast<int>(random.below(5));
    const PairMatrix emissions = random_emissions(random, rows, columns);
    const double null = random.uniform(0.01, 0.5);
    const Hmm model(null, random_jumps(random));
    PairMatrix posteriors;
    std::vector<double> statistics(model.statistics());
    const double log_likelihood = model.posteriors(emissions, posteriors, statistics);
    const Enumeration all(emissions, model.parameters(), null);
    EXPECT_NEAR(log_likelihood, std::log(all.total), 1e-5);
    for (std::size_t at = 0; at < all.word.size(); ++at)
      EXPECT_NEAR(posteriors.word[at], all.word[at] / all.total, 1e-5);
    for (int j = 0; j < rows; ++j) EXPECT_NEAR(posteriors.null[j], all.none[j] / all.total, 1e-5);
    for (int d = 0; d < Hmm::kJumps; ++d) EXPECT_NEAR(statistics[d], all.jump_counts[d] / all.total, 1e-4);
  }
}

TEST(Hmm, EveryJumpStartsFromSomewhere) {
  Random random(4);
  const PairMatrix emissions = random_emissions(random, 9, 7);
  const Hmm model(0.1, random_jumps(random));
  PairMatrix posteriors;
  std::vector<double> statistics(model.statistics());
  model.posteriors(emissions, posteriors, statistics);
  double jumps = 0, starts = 0, linked = 0;
  for (std::size_t at = 0; at < statistics.size(); ++at) (at < Hmm::kJumps ? jumps : starts) += statistics[at];
  for (const float value : posteriors.word) linked += value;
  EXPECT_NEAR(jumps, linked, 1e-4);
  EXPECT_NEAR(starts, linked, 1e-4);
}

TEST(Hmm, LearnsTheJumpsItsStatisticsCameFrom) {
  // Two columns with unambiguous emissions: the rows visit 0 1 0 1.
  PairMatrix emissions;
  emissions.resize(4, 2);
  emissions.word = {1, 1e-9f, 1e-9f, 1, 1, 1e-9f, 1e-9f, 1};
  std::fill(emissions.null.begin(), emissions.null.end(), 1e-9f);
  const auto model = PositionModel::make(AlignmentKind::hmm, 0.1);
  PairMatrix posteriors;
  double before = -1e9;
  for (int round = 0; round < 20; ++round) {
    std::vector<double> statistics(model->statistics());
    const double log_likelihood = model->posteriors(emissions, posteriors, statistics);
    EXPECT_GE(log_likelihood, before - 1e-5);
    before = log_likelihood;
    model->update(statistics);
  }
  EXPECT_NEAR(before, 4 * std::log(0.9), 1e-3);  // every jump is certain
}

TEST(Hmm, LongSentencesNeitherVanishNorOverflow) {
  PairMatrix emissions;
  emissions.resize(600, 500);
  std::fill(emissions.word.begin(), emissions.word.end(), 1e-12f);
  std::fill(emissions.null.begin(), emissions.null.end(), 1e-12f);
  const auto model = PositionModel::make(AlignmentKind::hmm, 0.1);
  PairMatrix posteriors;
  const double log_likelihood = model->posteriors(emissions, posteriors, {});
  EXPECT_NEAR(log_likelihood, 600 * std::log(1e-12), 1);
}

TEST(PositionModels, PosteriorsOfARowSumToOneWithNull) {
  Random random(5);
  for (const AlignmentKind kind : {AlignmentKind::model1, AlignmentKind::model2, AlignmentKind::hmm})
    for (int round = 0; round < 20; ++round) {
      const int rows = 1 + static_cast<int>(random.below(30));
      const int columns = 1 + static_cast<int>(random.below(30));
      const PairMatrix emissions = random_emissions(random, rows, columns);
      PairMatrix posteriors;
      PositionModel::make(kind, 0.2)->posteriors(emissions, posteriors, {});
      for (int j = 0; j < rows; ++j) {
        double sum = posteriors.null[j];
        for (int i = 0; i < columns; ++i) sum += posteriors.row(j)[i];
        EXPECT_NEAR(sum, 1, 1e-4) << name_of(kind);
      }
    }
}

TEST(Model1, LikelihoodIsTheProductOfMeans) {
  PairMatrix emissions, posteriors;
  emissions.resize(2, 3);
  emissions.word = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
  emissions.null = {0.7f, 0.8f};
  const double expected = std::log(0.1 * 0.7 + 0.9 * 0.2) + std::log(0.1 * 0.8 + 0.9 * 0.5);
  EXPECT_NEAR(PositionModel::make(AlignmentKind::model1, 0.1)->posteriors(emissions, posteriors, {}), expected, 1e-6);
}

TEST(Model2, PriorFollowsItsEquation) {
  // With emissions of one, posteriors equal the prior: exp(-tension |x_i - x_j|), normalised.
  PairMatrix emissions, posteriors;
  emissions.resize(5, 4);
  std::fill(emissions.word.begin(), emissions.word.end(), 1.0f);
  std::fill(emissions.null.begin(), emissions.null.end(), 1.0f);
  const double tension = 3;
  PositionModel::make(AlignmentKind::model2, 0.25, std::span(&tension, 1))->posteriors(emissions, posteriors, {});
  for (int j = 0; j < 5; ++j) {
    double weights[4], sum = 0;
    for (int i = 0; i < 4; ++i) sum += weights[i] = std::exp(-tension * std::abs((i + 0.5) / 4 - (j + 0.5) / 5));
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(posteriors.row(j)[i], 0.75 * weights[i] / sum, 1e-5);
  }
}

TEST(Model2, FindsTheTensionThatTextWasMadeWith) {
  // With posteriors equal to the prior of another tension, the maximum is at that tension.
  const double made = 7;
  const auto maker = PositionModel::make(AlignmentKind::model2, 0.1, std::span(&made, 1));
  const auto learner = PositionModel::make(AlignmentKind::model2, 0.1);
  PairMatrix ones, prior, own;
  ones.resize(12, 15);
  std::fill(ones.word.begin(), ones.word.end(), 1.0f);
  std::fill(ones.null.begin(), ones.null.end(), 1.0f);
  maker->posteriors(ones, prior, {});
  for (int round = 0; round < 10; ++round) {
    // The learner's posteriors equal the maker's prior when the emissions are the ratio of the two priors.
    learner->posteriors(ones, own, {});
    PairMatrix ratio = prior;
    for (std::size_t at = 0; at < ratio.word.size(); ++at) ratio.word[at] /= own.word[at];
    std::fill(ratio.null.begin(), ratio.null.end(), 1.0f);
    std::vector<double> statistics(learner->statistics());
    learner->posteriors(ratio, own, statistics);
    learner->update(statistics);
  }
  EXPECT_NEAR(learner->parameters()[0], made, 0.01);
}

TEST(PositionModels, RefuseParametersOfAnotherKind) {
  const std::vector<double> two = {1, 2};
  EXPECT_THROW(PositionModel::make(AlignmentKind::model2, 0.1, two), Error);
  EXPECT_THROW(PositionModel::make(AlignmentKind::hmm, 0.1, two), Error);
  EXPECT_THROW(PositionModel::make(static_cast<AlignmentKind>(9), 0.1), Error);
  EXPECT_THROW(PositionModel::make(AlignmentKind::model1, 1.5), Error);
}

}  // namespace
}  // namespace dragoman::align
