#include "train/update_pipeline.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman::train {
namespace {

// Enqueues update `number`, whose totals are loss, nll and squares.
void push(UpdatePipeline& pipeline, std::uint64_t number, double loss, double nll, double squares) {
  auto* const losses = static_cast<double*>(pipeline.losses().both.raw());
  losses[0] = loss;
  losses[1] = nll;
  *static_cast<double*>(pipeline.gradient_squares().raw()) = squares;
  pipeline.push(
      {.position = {.updates = number}, .rate = 0.5, .tokens = 10, .start = std::chrono::steady_clock::now()});
}

TEST(UpdatePipeline, GivesLossesAndTheNormOfTheGradients) {
  UpdatePipeline pipeline(cpu_device());
  push(pipeline, 1, 20, 15, 9);
  const FinishedUpdate update = pipeline.pop();
  EXPECT_EQ(update.position.updates, 1u);
  EXPECT_EQ(update.rate, 0.5);
  EXPECT_EQ(update.sums, (LossSums{20, 15, 10}));
  EXPECT_EQ(update.gradient_norm, 3);
  EXPECT_GE(update.seconds, 0);
  EXPECT_EQ(pipeline.pending(), 0u);
}

TEST(UpdatePipeline, KeepsTheTotalsOfOneUpdateWhileTheNextIsEnqueued) {
  UpdatePipeline pipeline(cpu_device());
  push(pipeline, 7, 1, 2, 4);
  push(pipeline, 8, 3, 4, 16);
  EXPECT_EQ(pipeline.pending(), 2u);
  EXPECT_EQ(pipeline.pop().sums.loss, 1);
  const FinishedUpdate second = pipeline.pop();
  EXPECT_EQ(second.sums.loss, 3);
  EXPECT_EQ(second.gradient_norm, 4);
}

TEST(UpdatePipeline, RefusesMorePendingUpdatesThanItCanHold) {
  UpdatePipeline pipeline(cpu_device());
  push(pipeline, 1, 1, 1, 1);
  push(pipeline, 2, 1, 1, 1);
  EXPECT_EQ(support::message([&] { push(pipeline, 3, 1, 1, 1); }), "at most 2 updates can be pending");
}

TEST(UpdatePipeline, ForgetsPendingUpdates) {
  UpdatePipeline pipeline(cpu_device());
  push(pipeline, 1, 1, 1, 1);
  pipeline.clear();
  EXPECT_EQ(pipeline.pending(), 0u);
  push(pipeline, 1, 5, 5, 25);
  EXPECT_EQ(pipeline.pop().gradient_norm, 5);
}

TEST(UpdatePipeline, WaitsForEveryUpdateOnTheCpu) { EXPECT_EQ(UpdatePipeline(cpu_device()).depth(), 0u); }

}  // namespace
}  // namespace dragoman::train
