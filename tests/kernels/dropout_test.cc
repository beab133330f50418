#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/fillings.h"

namespace dragoman::kernels {
namespace {

// Dropout of ones: every element is 0 or the scale.
std::vector<float> drop_ones(Size rows, Size cols, const Dropout& dropout) {
  std::vector<float> x(static_cast<std::size_t>(rows * cols), 1.0f);
  cpu().dropout({.rows = rows, .cols = cols, .dropout = dropout, .x = x.data(), .y = x.data()});
  return x;
}

TEST(Dropout, KeepsTheRightShareOfElementsAndTheMean) {
  constexpr Size kRows = 1000, kCols = 513;
  for (const double rate : {0.1, 0.25, 0.5}) {
    const auto y = drop_ones(kRows, kCols, {rate, {7, 1}});
    double kept = 0, sum = 0;
    for (const float value : y) {
      kept += value != 0;
      sum += value;
    }
    const auto count = static_cast<double>(y.size());
    // Five standard deviations of a sum of independent draws.
    const double room = 5 * std::sqrt(rate * (1 - rate) / count) + 1e-5;
    EXPECT_NEAR(kept / count, 1 - rate, room);
    EXPECT_NEAR(sum / count, 1, room / (1 - rate));
  }
}

TEST(Dropout, NeighboursRowsStepsAndSeedsAreIndependent) {
  constexpr Size kRows = 400, kCols = 256;
  const auto agreement = [](const std::vector<float>& a, const std::vector<float>& b, std::size_t lag) {
    double same = 0;
    for (std::size_t i = 0; i + lag < a.size(); ++i) same += (a[i] != 0) == (b[i + lag] != 0);
    return same / static_cast<double>(a.size() - lag);
  };
  const auto y = drop_ones(kRows, kCols, {0.5, {7, 1}});
  const double room = 5 * 0.5 / std::sqrt(static_cast<double>(y.size()));
  for (const std::size_t lag : {1, 2, 3, 4, 8, 16, 32, 256}) EXPECT_NEAR(agreement(y, y, lag), 0.5, room) << lag;
  EXPECT_NEAR(agreement(y, drop_ones(kRows, kCols, {0.5, {7, 2}}), 0), 0.5, room);
  EXPECT_NEAR(agreement(y, drop_ones(kRows, kCols, {0.5, {8, 1}}), 0), 0.5, room);
}

TEST(Dropout, IsAFunctionOfTheKey) {
  const Dropout dropout{0.3, {7, 1}};
  EXPECT_EQ(drop_ones(50, 70, dropout), drop_ones(50, 70, dropout));
}

TEST(Dropout, ARowDoesNotDependOnTheRowsAfterIt) {
  const Dropout dropout{0.3, {7, 1}};
  const auto few = drop_ones(3, 70, dropout), many = drop_ones(50, 70, dropout);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

}  // namespace
}  // namespace dragoman::kernels
