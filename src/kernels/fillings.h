#pragma once

#include <string>

#include "kernels/contract.h"

// The fillings of the contract on the host. The CUDA filling is in cuda/cuda.h.
namespace dragoman::kernels {

// Scalar loops in the order of the definitions. Every other filling is tested against them. T is float or double.
template <class T>
const Kernels<T>& reference();

// SIMD with the instruction set chosen at run time, OpenBLAS for matrix products, several threads where that pays.
const Kernels<float>& cpu();
// The instruction set in use: "NEON", "AVX2", "AVX-512", ...
const char* cpu_instruction_set();
// What multiplies in a narrow format on this CPU, or, for `same`, the large products of training in f32.
const char* cpu_product_kernel(WeightFormat format);
// Whether this CPU has no instruction for products in bf16, so that they take longer than in f32.
bool cpu_emulates_bf16();
// Rounds numbers to int8 as products do (PackWeight); returns their scale.
float round_to_int8(Size count, const float* x, std::int8_t* to);

// The BLAS library: its version, the CPU core it is tuned for, and why it cannot be used.
struct BlasInfo {
  std::string configuration, core, problem;
};
BlasInfo blas_info();

}  // namespace dragoman::kernels
