#pragma once

#include <string>

#include "kernels/contract.h"

// The fillings of the contract that this build has.
namespace dragoman::kernels {

// Scalar, in the order of the definitions: what every other filling is tested against. T is float or double.
template <class T>
const Kernels<T>& reference();

// SIMD chosen at run time, OpenBLAS for matrix products, threads where they pay.
const Kernels<float>& cpu();
// The instruction set that `cpu` chose: "NEON", "AVX2", "AVX3", ...
const char* cpu_instruction_set();

// What the BLAS library says of itself: version and the CPU core it was tuned for.
struct BlasInfo {
  std::string configuration, core;
};
BlasInfo blas_info();

}  // namespace dragoman::kernels
