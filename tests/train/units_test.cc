#include "train/units.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman::train {
namespace {

TEST(Amount, ReadsUpdatesEpochsAndTokensAsPeopleWriteThem) {
  EXPECT_EQ(Amount::parse("100ku").count, 100'000);
  EXPECT_EQ(Amount::parse("100ku").unit, Unit::updates);
  EXPECT_EQ(Amount::parse("5e").count, 5);
  EXPECT_EQ(Amount::parse("5e").unit, Unit::epochs);
  EXPECT_EQ(Amount::parse("1Gt").count, 1e9);
  EXPECT_EQ(Amount::parse("1Gt").unit, Unit::tokens);
  EXPECT_EQ(Amount::parse("0.5e").count, 0.5);
  EXPECT_EQ(Amount::parse("2.5M").count, 2.5e6);
  EXPECT_EQ(Amount::parse("2.5M").unit, Unit::updates);
  EXPECT_TRUE(Amount::parse("").none());
  EXPECT_TRUE(Amount::parse("0").none());
}

TEST(Amount, RefusesOtherTextAndShowsExamples) {
  for (const char* text : {"k", "5x", "5ee", "ten", "-3u", "5ke1", "infu", "nan"})
    EXPECT_NE(support::message([&] { Amount::parse(text); }).find("100ku (updates), 5e (epochs) or 1Gt (tokens)"),
              std::string::npos)
        << text;
}

TEST(Amount, HasALimit) {
  for (const char* text : {"1e300Gu", "2e15u", "1e16"})
    EXPECT_NE(support::message([&] { Amount::parse(text); }).find("up to 1e+15"), std::string::npos) << text;
  EXPECT_EQ(Amount::parse("1e6Gu").count, 1e15);
}

TEST(Amount, IsWrittenAsItIsRead) {
  for (const char* text : {"100ku", "5e", "1Gt", "250u", "1.5Mt"}) EXPECT_EQ(Amount::parse(text).show(), text);
}

TEST(Amount, EveryMultipleIsCrossedExactlyOnce) {
  const Amount every = Amount::parse("3u");
  int crossed = 0;
  for (std::uint64_t update = 0; update < 30; ++update) crossed += every.crossed({update, 0, 0}, {update + 1, 0, 0});
  EXPECT_EQ(crossed, 10);
  EXPECT_TRUE(every.crossed({2, 0, 0}, {3, 0, 0}));
  EXPECT_FALSE(every.crossed({3, 0, 0}, {4, 0, 0}));
}

TEST(Amount, AnEpochEndsWithItsLastBatchForAnyNumberOfBatches) {
  const Amount every = Amount::parse("1e");
  for (const int steps : {1, 3, 7, 10, 49, 1000}) {
    int crossed = 0;
    Position before;
    for (int i = 0; i < 5 * steps; ++i) {
      Position after = before;
      after.epochs = i / steps + static_cast<double>(i % steps + 1) / steps;
      crossed += every.crossed(before, after);
      EXPECT_EQ(every.crossed(before, after), i % steps + 1 == steps);
      before = after;
    }
    EXPECT_EQ(crossed, 5);
  }
}

TEST(ShareDone, IsThatOfTheFirstAmountToBeReached) {
  const std::vector<Amount> until = parse_amounts({"10u", "0", "2e"});
  EXPECT_EQ(share_done(until, {.updates = 5, .epochs = 0.5}), 0.5);
  EXPECT_EQ(share_done(until, {.updates = 5, .epochs = 1.5}), 0.75);
  EXPECT_EQ(share_done({}, {.updates = 5, .epochs = 1.5}), 0) << "without an end";
}

TEST(Amount, IsReachedInItsOwnUnit) {
  EXPECT_TRUE(Amount::parse("2e").reached({1, 2.0, 1}));
  EXPECT_FALSE(Amount::parse("2e").reached({1000, 1.99, 1000}));
  EXPECT_TRUE(Amount::parse("1kt").reached({1, 0.1, 1000}));
  EXPECT_FALSE(Amount::parse("").reached({1, 1, 1}));
}

}  // namespace
}  // namespace dragoman::train
