#pragma once

#include "kernels/contract.h"

// Collects what goes row by row into programs (row_program.h): an entry that fits is held back, and goes to the GPU
// with those before and after it as soon as anything else is asked for.
namespace dragoman::kernels::cuda {

// Whether it was taken; otherwise it must be done at once.
bool record(const LinearPacked<bf16>& a);
bool record(const Norm<bf16>& a);
bool record(const Attention<bf16>& a);

// A layer by itself.
void run_alone(const LinearPacked<bf16>& a);

}  // namespace dragoman::kernels::cuda
