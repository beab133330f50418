#include "kernels/cpu/split_product.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/random.h"
#include "kernels/cpu/narrow_weights.h"

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

// A product with operands of its own, strides larger than the rows, and c = 1 at first.
struct Example {
  std::vector<float> a, b, c;
  MatrixProduct product;

  Example(const std::array<Size, 3>& sizes, int variant)
      : product{.m = sizes[0], .n = sizes[1], .k = sizes[2], .transposed_a = (variant & 1) != 0} {
    product.transposed_b = (variant & 2) != 0;
    product.beta = variant & 4 ? 1.0f : 0.0f;
    product.a_stride = (product.transposed_a ? product.m : product.k) + 3;
    product.b_stride = (product.transposed_b ? product.k : product.n) + 1;
    product.c_stride = product.n + 2;
    a = random_numbers((product.transposed_a ? product.k : product.m) * product.a_stride, 1);
    b = random_numbers((product.transposed_b ? product.n : product.k) * product.b_stride, 2);
    c.assign(static_cast<std::size_t>(product.m * product.c_stride), 1);
    product.a = a.data(), product.b = b.data(), product.c = c.data();
  }

  // Numbers of very different size.
  static std::vector<float> random_numbers(Size count, std::uint64_t seed) {
    Random random(seed);
    std::vector<float> numbers(static_cast<std::size_t>(count));
    for (float& number : numbers)
      number = static_cast<float>(random.uniform(-1, 1) * std::exp2(random.uniform(-12, 12)));
    return numbers;
  }
  float& left(Size i, Size k) { return a[product.transposed_a ? k * product.a_stride + i : i * product.a_stride + k]; }
  float& right(Size k, Size j) { return b[product.transposed_b ? j * product.b_stride + k : k * product.b_stride + j]; }

  // The difference from the exact result, relative to the sum of magnitudes: as a number in f32, and as c.
  struct Error {
    double squares = 0, largest = 0;

    void add(double error) {
      squares += error * error;
      largest = std::max(largest, std::abs(error));
    }
  };
  struct Errors {
    Error f32, ours;
  };
  Errors errors() {
    Errors errors;
    for (Size i = 0; i < product.m; ++i)
      for (Size j = 0; j < product.n; ++j) {
        double exact = product.beta, magnitude = product.beta;
        float sum = product.beta;
        for (Size k = 0; k < product.k; ++k) {
          exact += double{left(i, k)} * double{right(k, j)};
          magnitude += std::abs(double{left(i, k)} * double{right(k, j)});
          sum = std::fma(left(i, k), right(k, j), sum);
        }
        errors.f32.add((double{sum} - exact) / magnitude);
        errors.ours.add((double{c[static_cast<std::size_t>(i * product.c_stride + j)]} - exact) / magnitude);
      }
    return errors;
  }
  void expect_nothing_beyond_rows() const {
    for (Size i = 0; i < product.m; ++i)
      for (Size j = product.n; j < product.c_stride; ++j)
        ASSERT_EQ(c[static_cast<std::size_t>(i * product.c_stride + j)], 1) << "row " << i << ", column " << j;
  }
};

TEST(SplitProduct, IsAsAccurateAsAProductInF32) {
  for (const SplitKernel kernel : kernels())
    for (const auto& sizes : {std::array<Size, 3>{1, 1, 1},
                              {3, 16, 7},
                              {16, 33, 64},
                              {37, 48, 130},
                              {65, 31, 300},
                              {5, 130, 70},
                              {530, 40, 33},
                              {40, 70, 700}})
      for (int variant = 0; variant < 8; ++variant) {
        SCOPED_TRACE(testing::Message() << sizes[0] << " x " << sizes[1] << " x " << sizes[2] << ", variant "
                                        << variant);
        Example example(sizes, variant);
        multiply_split(example.product, kernel);
        const Example::Errors errors = example.errors();
        EXPECT_LE(errors.ours.largest, errors.f32.largest + std::numeric_limits<float>::epsilon());
        if (sizes[2] >= 64) {
          EXPECT_LE(errors.ours.squares, errors.f32.squares);
        }
        example.expect_nothing_beyond_rows();
      }
}

TEST(SplitProduct, KeepsAllDigitsOfAFactor) {
  for (const SplitKernel kernel : kernels())
    for (int variant = 0; variant < 4; ++variant) {
      Example example({40, 40, 40}, variant);
      for (Size i = 0; i < 40; ++i)
        for (Size j = 0; j < 40; ++j) example.right(i, j) = i == j ? 1 : 0;
      multiply_split(example.product, kernel);
      for (Size i = 0; i < 40; ++i)
        for (Size j = 0; j < 40; ++j)
          ASSERT_EQ(example.c[static_cast<std::size_t>(i * example.product.c_stride + j)], example.left(i, j));
    }
}

TEST(SplitProduct, OfNumbersThatAreNotFiniteIsNotANumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  for (const SplitKernel kernel : kernels())
    for (const float bad : {kNan, -kNan, kInfinity, -kInfinity, std::numeric_limits<float>::max()})
      for (int variant = 0; variant < 4; ++variant) {
        Example example({34, 35, 36}, variant);
        example.left(33, 20) = bad;
        multiply_split(example.product, kernel);
        for (Size i = 0; i < 34; ++i)
          for (Size j = 0; j < 35; ++j)
            ASSERT_EQ(std::isnan(example.c[static_cast<std::size_t>(i * example.product.c_stride + j)]), i == 33);
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
  Example split({130, 140, 150}, 4), chosen({130, 140, 150}, 4);
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
