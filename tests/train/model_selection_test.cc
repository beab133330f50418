#include "train/model_selection.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman::train {
namespace {

class ModelSelectionTest : public ::testing::Test {
 protected:
  ModelSelectionTest() { options_.metric = "bleu"; }

  // Validates after update `number`.
  Validation validate(std::uint64_t number, double bleu, double perplexity = 1) {
    Validation validation;
    validation.position.updates = number;
    validation.scores.set("perplexity", perplexity);
    validation.scores.set("bleu", bleu);
    remark_ = ModelSelection(options_).judge(validation, state_);
    return validation;
  }
  bool out_of_patience() const { return ModelSelection(options_).out_of_patience(state_); }

  TrainOptions options_;
  TrainState state_;
  std::string remark_;
};

TEST_F(ModelSelectionTest, TheMetricDecidesWhichModelIsBest) {
  EXPECT_TRUE(validate(5, 10, 8).best);
  EXPECT_FALSE(validate(10, 10, 6).best) << "equal is not better";
  EXPECT_TRUE(validate(15, 11, 7).best);
  EXPECT_EQ(state_.best.at("bleu"), (Best{11, 15}));
  EXPECT_EQ(state_.best.at("perplexity"), (Best{6, 10})) << "lower is better, and its best value is tracked too";
}

TEST_F(ModelSelectionTest, AScoreOfALanguagePairIsAMetricToo) {
  options_.metric = "perplexity.en-de";
  const auto best = [&](double perplexity) {
    Validation validation;
    validation.scores.set("perplexity.en-de", perplexity);
    ModelSelection(options_).judge(validation, state_);
    return validation.best;
  };
  EXPECT_TRUE(best(8));
  EXPECT_FALSE(best(9)) << "lower is better";
  EXPECT_TRUE(best(7));
}

TEST_F(ModelSelectionTest, PatienceCountsValidationsSinceTheBest) {
  options_.patience = 2;
  validate(1, 10);
  EXPECT_EQ(validate(2, 9).without_improvement, 1);
  EXPECT_FALSE(out_of_patience());
  EXPECT_EQ(validate(3, 11).without_improvement, 0);
  validate(4, 9);
  EXPECT_FALSE(out_of_patience());
  validate(5, 9);
  EXPECT_TRUE(out_of_patience());
  EXPECT_EQ(ModelSelection(options_).reason(), "no better bleu in 2 validations");
  options_.patience = 0;
  EXPECT_FALSE(out_of_patience()) << "without a limit";
}

TEST_F(ModelSelectionTest, APlateauReducesTheRateAndIsCountedAnew) {
  options_.schedule.plateau = 2;
  options_.schedule.plateau_factor = 0.1;
  validate(1, 10);
  validate(2, 9);
  EXPECT_EQ(remark_, "");
  validate(3, 9);
  EXPECT_EQ(remark_, "no better bleu in 2 validations: the learning rate is reduced to 0.1 of its schedule");
  EXPECT_EQ(state_.rate_factor, 0.1);
  validate(4, 9);
  EXPECT_EQ(state_.rate_factor, 0.1);
  validate(5, 9);
  EXPECT_NEAR(state_.rate_factor, 0.01, 1e-15);
  EXPECT_EQ(state_.without_improvement, 4) << "patience does not start again";
}

TEST_F(ModelSelectionTest, NamesTheScoresThatWereMeasuredWhenTheMetricIsMissing) {
  options_.metric = "chrf";
  EXPECT_EQ(support::message([&] { validate(1, 1); }),
            "metric: 'chrf' is not among the scores of this run: perplexity, bleu");
}

}  // namespace
}  // namespace dragoman::train
