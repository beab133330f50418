#pragma once

#include "tensor/ops.h"
#include "tensor/slice.h"

// Arithmetic on flat buffers of weights, gradients and moments: f32, or f64 in checks of gradients.
namespace dragoman::train {

// to = alpha * a + beta * b.
void combine(const Tensor& to, double alpha, const Tensor& a, double beta, const Tensor& b);
void copy(const Tensor& to, const Tensor& from);

}  // namespace dragoman::train
