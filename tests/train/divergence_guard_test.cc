#include "train/divergence_guard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/errors.h"

namespace dragoman::train {
namespace {

using support::message;

constexpr std::uint64_t kLate = DivergenceGuard::kUpdatesBeforeExplosions + 1;

FinishedUpdate update_of(std::uint64_t number, double loss, double norm = 1) {
  return {.position = {.updates = number}, .sums = {.loss = loss, .nll = loss, .tokens = 1}, .gradient_norm = norm};
}

DivergenceGuard guard(OnDivergence policy, double explosion = 0) {
  TrainOptions options;
  options.output = "run";
  options.on_divergence = policy;
  options.explosion = explosion;
  return DivergenceGuard(options);
}

TEST(DivergenceGuard, SeesLossesAndGradientsThatAreNotFinite) {
  const DivergenceGuard it = guard(OnDivergence::stop);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(it.has_diverged(update_of(1, 1e30, 1e30), {}));
  EXPECT_TRUE(it.has_diverged(update_of(1, std::nan("")), {}));
  EXPECT_TRUE(it.has_diverged(update_of(1, -infinity), {}));
  EXPECT_TRUE(it.has_diverged(update_of(1, 1, std::nan("")), {}));
  EXPECT_TRUE(it.has_diverged(update_of(1, 1, infinity), {}));
}

TEST(DivergenceGuard, MeasuresExplosionsByTheRunningMeanOnceItHasSettled) {
  const DivergenceGuard it = guard(OnDivergence::stop, 5);
  TrainState state;
  state.running_loss = 2;
  EXPECT_FALSE(it.has_diverged(update_of(kLate, 10), state));
  EXPECT_TRUE(it.has_diverged(update_of(kLate, 10.5), state));
  EXPECT_FALSE(it.has_diverged(update_of(kLate - 1, 10.5), state));
  EXPECT_FALSE(guard(OnDivergence::stop).has_diverged(update_of(kLate, 10.5), state)) << "no limit was set";
}

TEST(DivergenceGuard, TheRunningMeanStartsAtTheFirstLossAndForgetsSlowly) {
  const DivergenceGuard it = guard(OnDivergence::stop);
  TrainState state;
  it.follow(update_of(1, 8), state);
  EXPECT_EQ(state.running_loss, 8);
  it.follow(update_of(2, 4), state);
  EXPECT_NEAR(state.running_loss, 0.99 * 8 + 0.01 * 4, 1e-12);
}

TEST(DivergenceGuard, StopsTheRunUnlessItMayRollBack) {
  TrainState state;
  const auto load = []() -> bool {
    ADD_FAILURE() << "nothing may be loaded";
    return true;
  };
  const std::string words =
      message([&] { guard(OnDivergence::stop).roll_back(update_of(13, std::nan("")), state, load); });
  EXPECT_NE(words.find("update 13: the loss is nan"), std::string::npos) << words;
  EXPECT_NE(words.find("run/checkpoints"), std::string::npos) << words;
}

TEST(DivergenceGuard, ARollbackRestoresTheCheckpointAndHalvesTheRateOfNow) {
  TrainState state;
  state.position.updates = 13;
  state.rate_factor = 0.5;
  state.rollbacks = 1;
  const auto load = [&] {
    state = {};  // as in a checkpoint from before the first rollback
    state.position.updates = 10;
    return true;
  };
  const std::string words = guard(OnDivergence::rollback).roll_back(update_of(13, 99), state, load);
  EXPECT_NE(words.find("back to update 10 with 0.25"), std::string::npos) << words;
  EXPECT_EQ(state.position.updates, 10u);
  EXPECT_EQ(state.rate_factor, 0.25);
  EXPECT_EQ(state.rollbacks, 2);
}

TEST(DivergenceGuard, GivesUpAfterManyRollbacksAndWithoutACheckpoint) {
  const DivergenceGuard it = guard(OnDivergence::rollback);
  TrainState state;
  EXPECT_NE(
      message([&] { it.roll_back(update_of(3, 1), state, [] { return false; }); }).find("no checkpoint to go back"),
      std::string::npos);
  state.rollbacks = DivergenceGuard::kMostRollbacks;
  EXPECT_NE(message([&] { it.roll_back(update_of(3, 1), state, [] { return true; }); }).find("after 10 rollbacks"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::train
