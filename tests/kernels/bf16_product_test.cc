#include "kernels/cpu/bf16_product.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cpu/narrow_weights.h"
#include "tests/kernels/product_example.h"

namespace dragoman::kernels::cpu_filling {
namespace {

void expect_rounded_product(ProductExample& example) {
  const MatrixProduct& product = example.product;
  const auto rounded = [](float number) { return double{bf16::from(number).value()}; };
  for (Size i = 0; i < product.m; ++i)
    for (Size j = 0; j < product.n; ++j) {
      double sum = product.beta, magnitude = 1;
      for (Size k = 0; k < product.k; ++k) {
        const double one = rounded(example.left(i, k)) * rounded(example.right(k, j));
        sum += one;
        magnitude += std::abs(one);
      }
      ASSERT_NEAR(example.result(i, j), sum, 1e-6 * magnitude) << "row " << i << ", column " << j;
    }
}

TEST(Bf16Product, IsTheProductOfRoundedFactors) {
  for (const NarrowKernel* kernel : narrow_kernels(WeightFormat::bf16)) {
    SCOPED_TRACE(kernel->name);
    use_narrow_kernel(WeightFormat::bf16, *kernel);
    for (const auto& sizes : kProductSizes)
      for (int variant = 0; variant < 8; ++variant) {
        SCOPED_TRACE(name_of_example(sizes, variant));
        ProductExample example(sizes, variant);
        multiply_bf16(example.product);
        expect_rounded_product(example);
        example.expect_nothing_beyond_rows();
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
