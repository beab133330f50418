#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "kernels/fillings.h"

// The SIMD functions against the C library in double precision, on a dense grid.
namespace dragoman::kernels {
namespace {

std::vector<float> grid(float low, float high) {
  std::vector<float> points;
  constexpr int kPoints = 20011;
  for (int i = 0; i < kPoints; ++i)
    points.push_back(low + (high - low) * static_cast<float>(i) / static_cast<float>(kPoints - 1));
  for (float tiny = 1e-30f; tiny < 1e-2f; tiny *= 3) points.insert(points.end(), {tiny, -tiny});
  return points;
}

// The largest relative error over the grid.
double worst_error(Activation kind, float low, float high, double (*exact)(double)) {
  const std::vector<float> x = grid(low, high);
  std::vector<float> y(x.size());
  cpu().activate({.count = std::ssize(x), .activation = kind, .x = x.data(), .y = y.data()});
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = exact(x[i]);
    if (expected != 0) worst = std::max(worst, std::abs(double{y[i]} - expected) / std::abs(expected));
  }
  return worst;
}

TEST(Functions, TanhIsRightToAMillionthAlsoNearZero) {
  EXPECT_LT(worst_error(Activation::tanh, -12, 12, [](double x) { return std::tanh(x); }), 1e-6);
}

TEST(Functions, SigmoidIsRightToAMillionthAlsoFarBelowZero) {
  EXPECT_LT(worst_error(Activation::sigmoid, -80, 30, [](double x) { return 1 / (1 + std::exp(-x)); }), 1e-6);
}

TEST(Functions, SiluIsRightToAMillionth) {
  EXPECT_LT(worst_error(Activation::silu, -80, 30, [](double x) { return x / (1 + std::exp(-x)); }), 1e-6);
}

TEST(Functions, GeluIsRightToAMillionth) {
  EXPECT_LT(worst_error(Activation::gelu, -4, 10, [](double x) { return x * std::erfc(-x / std::numbers::sqrt2) / 2; }),
            1e-6);
}

TEST(Functions, SaturateWithoutOverflowAndKeepNaN) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {infinity, -infinity, 1e30f, -1e30f, nan};
  std::vector<float> y(x.size());
  cpu().activate({.count = 5, .activation = Activation::tanh, .x = x.data(), .y = y.data()});
  EXPECT_EQ(std::vector<float>(y.begin(), y.begin() + 4), (std::vector<float>{1, -1, 1, -1}));
  EXPECT_TRUE(std::isnan(y[4]));
  cpu().activate({.count = 5, .activation = Activation::sigmoid, .x = x.data(), .y = y.data()});
  EXPECT_EQ(std::vector<float>(y.begin(), y.begin() + 4), (std::vector<float>{1, 0, 1, 0}));
  EXPECT_TRUE(std::isnan(y[4]));
}

TEST(Softmax, GivesMaskedScoresExactlyZero) {
  const float masked = -std::numeric_limits<float>::infinity();
  std::vector<float> x = {masked, 3, masked, 3, masked, masked, masked};
  cpu().softmax({.rows = 1, .cols = 7, .starts = nullptr, .x = x.data(), .y = x.data()});
  EXPECT_EQ(x, (std::vector<float>{0, 0.5f, 0, 0.5f, 0, 0, 0}));
}

TEST(Norm, IsPreciseWhereTheMeanIsFarFromZero) {
  constexpr int kCols = 67;
  std::vector<float> x, y(kCols);
  for (int c = 0; c < kCols; ++c) x.push_back(1000 + static_cast<float>(c * 29 % kCols) / 32);
  const std::vector<float> gain(kCols, 1.0f), bias(kCols, 0.0f);
  float mean = 0, rstd = 0;
  cpu().norm({.rows = 1,
              .cols = kCols,
              .x = x.data(),
              .gain = gain.data(),
              .bias = bias.data(),
              .y = y.data(),
              .mean = &mean,
              .rstd = &rstd});
  double exact_mean = 0, exact_variance = 0;
  for (const float value : x) exact_mean += value / static_cast<double>(kCols);
  for (const float value : x) exact_variance += std::pow(value - exact_mean, 2) / kCols;
  EXPECT_NEAR(rstd * std::sqrt(exact_variance + 1e-5), 1, 1e-5);
  for (int c = 0; c < kCols; ++c) EXPECT_NEAR(y[c], (x[c] - exact_mean) / std::sqrt(exact_variance), 1e-3);
}

TEST(CrossEntropy, IsNaNIfALogitIsNaN) {
  std::vector<float> logits = {1, 2, std::numeric_limits<float>::quiet_NaN(), 4, 5};
  const std::int32_t target = 1;
  float loss = 0, nll = 0;
  cpu().cross_entropy(
      {.rows = 1, .classes = 5, .logits = logits.data(), .targets = &target, .loss = &loss, .nll = &nll});
  EXPECT_TRUE(std::isnan(loss));
}

}  // namespace
}  // namespace dragoman::kernels
