#pragma once

#include "kernels/contract.h"

// Matrix products by cuBLASLt, which is loaded when the first product is asked for; small ones in bf16 by our own
// kernel.
namespace dragoman::kernels::cuda {

// c[m, n] = op(a) op(b) (+ c), all row-major; strides of rows may be larger than the rows (0: just as large).
struct ProductShape {
  Size m = 0, n = 0, k = 0;
  bool transposed_a = false;  // a is stored [k, m]
  bool transposed_b = false;  // b is stored [n, k]
  bool accumulate = false;
  bool steady_b = false;  // b is none of what the last kernels wrote, so it can be read while they still run
  double alpha = 1;
  Size a_stride = 0, b_stride = 0, c_stride = 0;
};

// What happens to c on its way to memory.
struct ProductEnd {
  const void* bias = nullptr;  // [n] of c's type
  Activation activation = Activation::none;
};

// In is the type of a and b, Out that of c. Any size may be 0; sums are in f32.
template <class In, class Out>
void multiply_matrices(const ProductShape& shape, const In* a, const In* b, Out* c, const ProductEnd& end = {});

// A product that is quicker done than the library is asked. False when it is not, or does not fit.
bool multiply_small(const ProductShape& shape, const bf16* a, const bf16* b, bf16* c, const ProductEnd& end);

}  // namespace dragoman::kernels::cuda
