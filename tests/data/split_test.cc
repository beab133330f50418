#include "data/split.h"

#include <gtest/gtest.h>

namespace dragoman::data {
namespace {

std::uint64_t held(const SplitOptions& split, std::uint64_t count) {
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < count; ++i) total += is_held_out(split, i, count) ? 1 : 0;
  return total;
}

TEST(Split, TheLastShareIsTheLastPairs) {
  const SplitOptions split{.by = SplitBy::last, .share = 0.01};
  EXPECT_EQ(held(split, 1000), 10u);
  EXPECT_FALSE(is_held_out(split, 989, 1000));
  EXPECT_TRUE(is_held_out(split, 990, 1000));
  EXPECT_EQ(held({.by = SplitBy::last, .share = 1}, 7), 7u);
}

TEST(Split, ARandomShareHasAboutThatSizeAndDependsOnTheSeedAlone) {
  const SplitOptions split{.by = SplitBy::random, .share = 0.1, .seed = 5};
  EXPECT_NEAR(static_cast<double>(held(split, 100'000)), 10'000, 400);
  SplitOptions other = split;
  other.seed = 6;
  int both = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    EXPECT_EQ(is_held_out(split, i, 100'000), is_held_out(split, i, 17));
    both += is_held_out(split, i, 100'000) && is_held_out(other, i, 100'000) ? 1 : 0;
  }
  EXPECT_NEAR(both, 1000, 150);
}

TEST(Split, NoneHoldsNothingOut) { EXPECT_EQ(held({}, 1000), 0u); }

}  // namespace
}  // namespace dragoman::data
