#pragma once

#include "kernels/cpu/product.h"

namespace dragoman::kernels::cpu_filling {

// Whether linear layers that the calling thread computes without packed weights, as in training, round the factors of
// their products to bf16; sums stay f32. Off at first; returns the setting before.
bool set_bf16_products(bool on);
bool bf16_products();

// c = op(a) op(b) + beta c, where beta is 0 or 1, with factors rounded to bf16. On the calling thread.
void multiply_bf16(const MatrixProduct& product);

}  // namespace dragoman::kernels::cpu_filling
