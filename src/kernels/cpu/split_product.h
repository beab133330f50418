#pragma once

#include "kernels/cpu/product.h"
#include "kernels/cpu/split.h"

namespace dragoman::kernels::cpu_filling {

// c = op(a) op(b) + beta c, where beta is 0 or 1 and alpha is 1, with the accuracy of f32. Factors below 2^-102 lose
// digits; a product with an infinite factor, or with one that bf16 rounds to infinity, is NaN. On the calling thread.
void multiply_split(const MatrixProduct& product, SplitKernel kernel);

// The kernel of this CPU for a product that is large enough to be worth the splitting of its factors; otherwise null.
SplitKernel split_kernel_for(const MatrixProduct& product);

}  // namespace dragoman::kernels::cpu_filling
