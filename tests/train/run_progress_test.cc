#include "train/run_progress.h"

#include <gtest/gtest.h>

namespace dragoman::train {
namespace {

FinishedUpdate update_of(std::uint64_t number, double loss, std::uint64_t tokens, double norm, double seconds) {
  return {.position = {.updates = number, .epochs = 0.1 * static_cast<double>(number)},
          .rate = 0.1 * static_cast<double>(number),
          .sums = {.loss = loss, .nll = loss, .tokens = tokens},
          .gradient_norm = norm,
          .seconds = seconds};
}

TEST(RunProgress, EndsAtTheFirstLimitThatIsReached) {
  const RunProgress progress(parse_amounts({"10u", "0", "2e"}));
  EXPECT_FALSE(progress.ended({.updates = 9, .epochs = 1.9}));
  EXPECT_TRUE(progress.ended({.updates = 9, .epochs = 2}));
  EXPECT_EQ(progress.end_reason({.updates = 9, .epochs = 1.9}), "");
  EXPECT_EQ(progress.end_reason({.updates = 9, .epochs = 2}), "reached 2e");
  EXPECT_EQ(progress.end_reason({.updates = 10, .epochs = 1}), "reached 10u");
}

TEST(RunProgress, ReportsUpdatesAloneAndTheirMeansInTheLog) {
  RunProgress progress(parse_amounts({"10u"}));
  TrainState state;
  progress.begin({});
  const StepReport first = progress.add(update_of(1, 30, 10, 2, 0.5), state);
  EXPECT_EQ(first.sums.mean_loss(), 3);
  EXPECT_EQ(first.tokens_per_second, 20);
  progress.add(update_of(2, 30, 20, 4, 1), state);
  const StepReport log = progress.take_log(state);
  EXPECT_EQ(log.position.updates, 2u);
  EXPECT_EQ(log.rate, 0.2) << "of the last update";
  EXPECT_EQ(log.sums.mean_loss(), 2);
  EXPECT_EQ(log.gradient_norm, 3);
  EXPECT_EQ(log.tokens_per_second, 20);
  EXPECT_EQ(state.since_log, LossSums{});
  EXPECT_EQ(state.since_validation.tokens, 30u) << "a log is not a validation";
  EXPECT_EQ(state.seconds, 1.5);
  EXPECT_EQ(progress.add(update_of(3, 5, 1, 7, 1), state).sums.tokens, 1u);
  EXPECT_EQ(progress.take_log(state).gradient_norm, 7) << "the means are reset";
}

TEST(RunProgress, CountsOnlyTokensOfThisProcessForTheSpeed) {
  RunProgress progress(parse_amounts({"10u"}));
  TrainState state;  // as in a checkpoint of a run that was stopped between two logs
  state.since_log = {.loss = 900, .nll = 900, .tokens = 900};
  state.updates_since_log = 9;
  state.seconds = 100;
  progress.begin({.updates = 4});
  progress.add(update_of(5, 100, 100, 1, 2), state);
  const StepReport log = progress.take_log(state);
  EXPECT_EQ(log.sums.tokens, 1000u) << "the mean loss is that of the uninterrupted run";
  EXPECT_EQ(log.tokens_per_second, 50);
  EXPECT_EQ(log.elapsed, 102);
}

TEST(RunProgress, EveryTwentiethOfTheRunIsAMilestone) {
  const RunProgress progress(parse_amounts({"40u"})), endless(parse_amounts({"0"}));
  int milestones = 0;
  for (std::uint64_t update = 0; update < 40; ++update)
    milestones += progress.is_milestone({.updates = update}, {.updates = update + 1}) ? 1 : 0;
  EXPECT_EQ(milestones, 20);
  EXPECT_TRUE(progress.is_milestone({.updates = 39}, {.updates = 40})) << "the end";
  EXPECT_FALSE(endless.is_milestone({.updates = 39}, {.updates = 40}));
}

TEST(RunProgress, LogsTheUsageOfTheMachine) {
  RunProgress progress(parse_amounts({"10u"}));
  TrainState state;
  progress.begin({});
  progress.add(update_of(1, 30, 10, 2, 0.5), state);
  const Usage usage = progress.take_log(state).usage;
  EXPECT_GT(usage.memory, 1'000'000);
  EXPECT_GE(usage.cores, 0);
  EXPECT_EQ(usage.gpu, std::nullopt);
}

TEST(RunProgress, EstimatesTheTimeLeftFromTheSpeedOfThisProcess) {
  RunProgress progress(parse_amounts({"10u"}));
  TrainState state;
  state.seconds = 1000;  // of earlier processes
  progress.begin({.updates = 4});
  EXPECT_NEAR(progress.add(update_of(6, 1, 1, 1, 3), state).seconds_left, 6, 1e-9)
      << "2 updates took 3 seconds, 4 are left";
  EXPECT_EQ(state.seconds, 1003);
}

}  // namespace
}  // namespace dragoman::train
