#pragma once

#include "kernels/contract.h"

// Matrix products: cuBLASLt, which is loaded at the first product, and our own kernel for small products in bf16.
namespace dragoman::kernels::cuda {

// c[m, n] = op(a) op(b) (+ c), all row-major. A stride of 0 means that rows are contiguous.
struct ProductShape {
  Size m = 0, n = 0, k = 0;
  bool transposed_a = false;  // a is stored [k, m]
  bool transposed_b = false;  // b is stored [n, k]
  bool accumulate = false;
  bool independent_b = false;  // b does not depend on previous kernels and may be prefetched while they run
  double alpha = 1;
  Size a_stride = 0, b_stride = 0, c_stride = 0;
};

// The epilogue of a product.
struct ProductEnd {
  const void* bias = nullptr;  // [n] of c's type
  Activation activation = Activation::none;
};

// In is the type of a and b, Out that of c. Sums are accumulated in f32. Any size may be 0.
template <class In, class Out>
void multiply_matrices(const ProductShape& shape, const In* a, const In* b, Out* c, const ProductEnd& end = {});

// Computes a product for which a call of cuBLASLt would take longer; false when the product is too large or its
// operands are unsuitable.
bool multiply_small(const ProductShape& shape, const bf16* a, const bf16* b, bf16* c, const ProductEnd& end);

}  // namespace dragoman::kernels::cuda
