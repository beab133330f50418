#include "kernels/cpu/split_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/cpu/narrow_weights.h"
#include "tests/kernels/product_example.h"

namespace dragoman::kernels::cpu_filling {
namespace {

// What a kernel computes, by the definition of the layout.
void multiply_by_definition(const SplitStripe& s) {
  const std::int64_t set = s.chunks * kSplitChunk;
  const auto value = [](const char* at) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
  };
  for (std::int64_t row = 0; row < s.rows; ++row)
    for (std::int64_t col = 0; col < s.cols; ++col) {
      double sum = 0;
      for (std::int64_t k = 0; k < s.chunks * kSplitDepth; ++k)
        for (std::int64_t left = 0; left < kSplitParts; ++left)
          for (std::int64_t right = 0; left + right < kSplitParts; ++right) {
            const std::int64_t chunk = k / kSplitDepth * kSplitChunk, place = k % kSplitDepth;
            const char* a = s.a + row / 16 * set + chunk + left * kSplitTile + row % 16 * 64 + 2 * place;
            const char* b = s.b + col / 16 * set + chunk + right * kSplitTile + place / 2 * 64 + col % 16 * 4;
            sum += double{value(a)} * double{value(b + place % 2 * 2)};
          }
      float& c = s.c[row * s.c_stride + col];
      c = static_cast<float>(sum) + (s.add ? c : 0);
    }
}

// Also that of this CPU, if it has one.
std::vector<SplitKernel> kernels() {
  std::vector<SplitKernel> list = {multiply_by_definition};
  if (split_kernel() != nullptr) list.push_back(split_kernel());
  return list;
}

// Factors are of very different size.
constexpr double kSpread = 12;

// The differences of results from the exact ones, relative to the sums of magnitudes.
struct Errors {
  double squares = 0, largest = 0;

  void add(double error) {
    squares += error * error;
    largest = std::max(largest, std::abs(error));
  }
};

// Compares the errors of a product with those of a sum in f32.
void expect_as_accurate_as_f32(ProductExample& example) {
  const MatrixProduct& product = example.product;
  Errors f32, ours;
  for (Size i = 0; i < product.m; ++i)
    for (Size j = 0; j < product.n; ++j) {
      double exact = product.beta, magnitude = product.beta;
      float sum = product.beta;
      for (Size k = 0; k < product.k; ++k) {
        const float left = example.left(i, k), right = example.right(k, j);
        exact += double{left} * double{right};
        magnitude += std::abs(double{left} * double{right});
        sum = std::fma(left, right, sum);
      }
      f32.add((double{sum} - exact) / magnitude);
      ours.add((double{example.result(i, j)} - exact) / magnitude);
    }
  EXPECT_LE(ours.largest, f32.largest + std::numeric_limits<float>::epsilon());
  if (product.k >= 64) {
    EXPECT_LE(ours.squares, f32.squares);
  }
}

TEST(SplitProduct, IsAsAccurateAsAProductInF32) {
  for (const SplitKernel kernel : kernels())
    for (const auto& sizes : kProductSizes)
      for (int variant = 0; variant < 8; ++variant) {
        SCOPED_TRACE(name_of_example(sizes, variant));
        ProductExample example(sizes, variant, kSpread);
        multiply_split(example.product, kernel);
        expect_as_accurate_as_f32(example);
        example.expect_nothing_beyond_rows();
      }
}

TEST(SplitProduct, KeepsAllDigitsOfAFactor) {
  for (const SplitKernel kernel : kernels())
    for (int variant = 0; variant < 4; ++variant) {
      ProductExample example({40, 40, 40}, variant, kSpread);
      for (Size i = 0; i < 40; ++i)
        for (Size j = 0; j < 40; ++j) example.right(i, j) = i == j ? 1 : 0;
      multiply_split(example.product, kernel);
      for (Size i = 0; i < 40; ++i)
        for (Size j = 0; j < 40; ++j) ASSERT_EQ(example.result(i, j), example.left(i, j));
    }
}

TEST(SplitProduct, OfNumbersThatAreNotFiniteIsNotANumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  for (const SplitKernel kernel : kernels())
    for (const float bad : {kNan, -kNan, kInfinity, -kInfinity, std::numeric_limits<float>::max()})
      for (int variant = 0; variant < 4; ++variant) {
        ProductExample example({34, 35, 36}, variant, kSpread);
        example.left(33, 20) = bad;
        multiply_split(example.product, kernel);
        for (Size i = 0; i < 34; ++i)
          for (Size j = 0; j < 35; ++j) ASSERT_EQ(std::isnan(example.result(i, j)), i == 33);
      }
}

TEST(SplitProduct, IsForLargeProductsWithoutAFactor) {
  MatrixProduct product{.m = 128, .n = 128, .k = 128};
  EXPECT_EQ(split_kernel_for(product), split_kernel());
  product.beta = 1;
  EXPECT_EQ(split_kernel_for(product), split_kernel());
  product.alpha = 2;
  EXPECT_EQ(split_kernel_for(product), nullptr);
  EXPECT_EQ(split_kernel_for({.m = 1 << 20, .n = 31, .k = 64}), nullptr);
  EXPECT_EQ(split_kernel_for({.m = 64, .n = 64, .k = 64}), nullptr);
}

TEST(SplitProduct, IsWhatACpuWithAmxComputes) {
  if (split_kernel() == nullptr) GTEST_SKIP() << "this CPU has no tiles of bf16";
  ProductExample split({130, 140, 150}, 4, kSpread), chosen({130, 140, 150}, 4, kSpread);
  multiply_split(split.product, split_kernel());
  multiply(chosen.product);
  EXPECT_EQ(chosen.c, split.c);
}

// Without AMX for bf16, factors are not split.
TEST(SplitProduct, FollowsTheChoiceOfTheKernelForBf16) {
  use_narrow_kernel(WeightFormat::bf16, *narrow_kernels(WeightFormat::bf16).back());
  EXPECT_EQ(split_kernel(), nullptr);
  use_narrow_kernel(WeightFormat::bf16, *narrow_kernels(WeightFormat::bf16).front());
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling
