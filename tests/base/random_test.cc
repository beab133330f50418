#include "base/random.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

namespace dragoman {
namespace {

// Known answers for philox4x32-10 from the file kat_vectors of the Random123 distribution.
TEST(Philox, GivesThePublishedKnownAnswers) {
  EXPECT_EQ(Philox::block({0, 0}, {0, 0, 0, 0}), (Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox::block({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
            (Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox::block({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, ContinuesFromASavedPosition) {
  Random whole(7, 3);
  for (int i = 0; i < 5; ++i) whole.bits();
  Random resumed(RandomKey{7, 3}, whole.position());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(whole.bits(), resumed.bits());
}

TEST(Random, BelowCoversItsRangeEvenly) {
  Random random(1);
  std::vector<int> hits(7);
  for (int i = 0; i < 70'000; ++i) ++hits[random.below(7)];
  for (const int count : hits) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  Random random(2);
  double sum = 0, squares = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
}

TEST(Random, ShuffleIsAPermutationAndAFunctionOfTheSeed) {
  std::vector<int> a(100), b(100);
  std::iota(a.begin(), a.end(), 0);
  b = a;
  const std::vector<int> original = a;
  Random(5).shuffle(a);
  Random(5).shuffle(b);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, original);
  EXPECT_EQ(std::set<int>(a.begin(), a.end()).size(), 100u);
}

}  // namespace
}  // namespace dragoman
