#include "train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.h"

namespace dragoman::train {
namespace {

Position at_update(std::uint64_t update) { return {update, static_cast<double>(update) / 1000, 50 * update}; }

TEST(Schedule, WarmsUpInAStraightLineFromTheFirstRateToThePeak) {
  const Schedule schedule({.rate = 1e-4, .first = 1e-7, .warmup = "4ku"}, {});
  EXPECT_NEAR(schedule.rate(at_update(1)), 1e-7 + (1e-4 - 1e-7) / 4000, 1e-15);
  EXPECT_NEAR(schedule.rate(at_update(2000)), (1e-4 + 1e-7) / 2, 1e-12);
  EXPECT_DOUBLE_EQ(schedule.rate(at_update(4000)), 1e-4);
  EXPECT_DOUBLE_EQ(schedule.rate(at_update(100000)), 1e-4);
}

TEST(Schedule, InverseSquareRootHalvesWhenUpdatesQuadruple) {
  const Schedule schedule({.kind = ScheduleKind::inverse_sqrt, .rate = 7e-4, .warmup = "4ku"}, {});
  EXPECT_DOUBLE_EQ(schedule.rate(at_update(4000)), 7e-4);
  EXPECT_NEAR(schedule.rate(at_update(16000)), 3.5e-4, 1e-12);
}

// The schedule of the preset transformer-base: 1e-7 to 1e-4 in 4,000 updates, then a cosine to 1e-6 at the end.
TEST(Schedule, CosineRunsFromTheEndOfTheWarmUpToTheEndOfTraining) {
  const Schedule schedule({.kind = ScheduleKind::cosine, .rate = 1e-4, .first = 1e-7, .last = 1e-6, .warmup = "4ku"},
                          {Amount::parse("10e")});
  EXPECT_NEAR(schedule.rate(at_update(4000)), 1e-4, 1e-12);
  EXPECT_NEAR(schedule.rate(at_update(7000)), (1e-4 + 1e-6) / 2, 1e-9);
  EXPECT_NEAR(schedule.rate(at_update(10000)), 1e-6, 1e-12);
  double before = 1;
  for (std::uint64_t update = 4000; update <= 10000; update += 100) {
    EXPECT_LT(schedule.rate(at_update(update)), before);
    before = schedule.rate(at_update(update));
  }
}

TEST(Schedule, EndsAtTheFirstOfSeveralAmounts) {
  const Schedule schedule({.kind = ScheduleKind::cosine, .rate = 1, .last = 0},
                          {Amount::parse("10e"), Amount::parse("2ku")});
  EXPECT_NEAR(schedule.rate(at_update(1000)), 0.5, 1e-9);
  EXPECT_NEAR(schedule.rate(at_update(2000)), 0, 1e-9);
}

TEST(Schedule, RefusesIncompleteSettingsAndSaysWhatIsMissing) {
  EXPECT_NE(support::message([] { Schedule({.kind = ScheduleKind::inverse_sqrt}, {}); }).find("schedule.warmup"),
            std::string::npos);
  EXPECT_NE(support::message([] { Schedule({.kind = ScheduleKind::cosine}, {}); }).find("--until"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::train
