#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernels/cpu/product.h"

namespace dragoman::kernels::cpu_filling {

// A product with operands of its own, strides larger than the rows, and c = 1 at first. There are eight variants:
// either factor transposed or not, c added to or not.
struct ProductExample {
  std::vector<float> a, b, c;
  MatrixProduct product;

  // The factors are within ±1, times powers of two with exponents within ±`spread`.
  ProductExample(const std::array<Size, 3>& sizes, int variant, double spread = 0)
      : product{.m = sizes[0], .n = sizes[1], .k = sizes[2], .transposed_a = (variant & 1) != 0} {
    product.transposed_b = (variant & 2) != 0;
    product.beta = variant & 4 ? 1.0f : 0.0f;
    product.a_stride = (product.transposed_a ? product.m : product.k) + 3;
    product.b_stride = (product.transposed_b ? product.k : product.n) + 1;
    product.c_stride = product.n + 2;
    a = random_numbers((product.transposed_a ? product.k : product.m) * product.a_stride, 1, spread);
    b = random_numbers((product.transposed_b ? product.n : product.k) * product.b_stride, 2, spread);
    c.assign(static_cast<std::size_t>(product.m * product.c_stride), 1);
    product.a = a.data(), product.b = b.data(), product.c = c.data();
  }
  ProductExample(const ProductExample&) = delete;
  ProductExample& operator=(const ProductExample&) = delete;

  float& left(Size i, Size k) {
    return a[static_cast<std::size_t>(product.transposed_a ? k * product.a_stride + i : i * product.a_stride + k)];
  }
  float& right(Size k, Size j) {
    return b[static_cast<std::size_t>(product.transposed_b ? j * product.b_stride + k : k * product.b_stride + j)];
  }
  float result(Size i, Size j) const { return c[static_cast<std::size_t>(i * product.c_stride + j)]; }

  void expect_nothing_beyond_rows() const {
    for (Size i = 0; i < product.m; ++i)
      for (Size j = product.n; j < product.c_stride; ++j) ASSERT_EQ(result(i, j), 1) << "written beyond row " << i;
  }

 private:
  static std::vector<float> random_numbers(Size count, std::uint64_t seed, double spread) {
    Random random(seed);
    std::vector<float> numbers(static_cast<std::size_t>(count));
    for (float& number : numbers)
      number = static_cast<float>(random.uniform(-1, 1) * std::exp2(random.uniform(-spread, spread)));
    return numbers;
  }
};

// Rows, columns and values of k that fill blocks, chunks and vectors partly, fully, and more than once.
constexpr std::array<Size, 3> kProductSizes[] = {{1, 1, 1},     {3, 16, 7},    {16, 33, 64},  {37, 48, 130},
                                                 {65, 31, 300}, {5, 530, 70},  {530, 40, 33}, {270, 40, 21},
                                                 {40, 70, 700}, {20, 30, 1100}};

inline std::string name_of_example(const std::array<Size, 3>& sizes, int variant) {
  return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " + std::to_string(sizes[2]) + ", variant " +
         std::to_string(variant);
}

}  // namespace dragoman::kernels::cpu_filling
