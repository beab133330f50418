#include "kernels/cpu/bf16_product.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "kernels/cpu/narrow_weights.h"

namespace dragoman::kernels::cpu_filling {
namespace {

std::vector<float> random_numbers(Size count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) number = static_cast<float>(random.uniform(-1, 1));
  return numbers;
}

// A product with operands of its own, strides larger than the rows, and c = 1 at first.
struct Example {
  std::vector<float> a, b, c;
  MatrixProduct product;

  Example(Size m, Size n, Size k, bool transposed_a, bool transposed_b, float beta)
      : product{.m = m, .n = n, .k = k, .transposed_a = transposed_a, .transposed_b = transposed_b, .beta = beta} {
    product.a_stride = (transposed_a ? m : k) + 3;
    product.b_stride = (transposed_b ? k : n) + 1;
    product.c_stride = n + 2;
    a = random_numbers((transposed_a ? k : m) * product.a_stride, 1);
    b = random_numbers((transposed_b ? n : k) * product.b_stride, 2);
    c.assign(static_cast<std::size_t>(m * product.c_stride), 1);
    product.a = a.data(), product.b = b.data(), product.c = c.data();
  }

  float left(Size i, Size k) const {
    return bf16::from(product.transposed_a ? a[k * product.a_stride + i] : a[i * product.a_stride + k]).value();
  }
  float right(Size k, Size j) const {
    return bf16::from(product.transposed_b ? b[j * product.b_stride + k] : b[k * product.b_stride + j]).value();
  }
  void expect_rounded_product() const {
    for (Size i = 0; i < product.m; ++i) {
      for (Size j = 0; j < product.n; ++j) {
        double sum = product.beta, magnitude = 1;
        for (Size k = 0; k < product.k; ++k) {
          sum += double{left(i, k)} * double{right(k, j)};
          magnitude += std::abs(double{left(i, k)} * double{right(k, j)});
        }
        ASSERT_NEAR(c[i * product.c_stride + j], sum, 1e-6 * magnitude) << "row " << i << ", column " << j;
      }
      ASSERT_EQ(c[i * product.c_stride + product.n], 1) << "written beyond row " << i;
    }
  }
};

TEST(Bf16Product, IsTheProductOfRoundedFactors) {
  for (const NarrowKernel* kernel : narrow_kernels(WeightFormat::bf16)) {
    SCOPED_TRACE(kernel->name);
    use_narrow_kernel(WeightFormat::bf16, *kernel);
    for (const auto& [m, n, k] : {std::array<Size, 3>{1, 1, 1},
                                  {3, 16, 7},
                                  {16, 33, 64},
                                  {37, 48, 130},
                                  {5, 530, 70},
                                  {270, 40, 21},
                                  {20, 30, 1100}})
      for (int variant = 0; variant < 8; ++variant) {
        Example example(m, n, k, variant & 1, variant & 2, variant & 4 ? 1.0f : 0.0f);
        SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", variant " << variant);
        multiply_bf16(example.product);
        example.expect_rounded_product();
      }
  }
  use_narrow_kernel(WeightFormat::bf16, *narrow_kernels(WeightFormat::bf16).front());
}

TEST(Bf16Product, IsASettingOfTheThread) {
  EXPECT_FALSE(bf16_products());
  EXPECT_FALSE(set_bf16_products(true));
  EXPECT_TRUE(bf16_products());
  EXPECT_TRUE(set_bf16_products(false));
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling
