#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/join.h"
#include "kernels/cpu/narrow_weights.h"

namespace dragoman::bench {

// Computes products of this format by the kernel of another CPU, if this one supports it. Products in f32 use AMX only
// with the bf16 kernel for AMX.
inline void choose_kernel(kernels::WeightFormat format, std::string_view name) {
  std::vector<std::string> names;
  for (const kernels::cpu_filling::NarrowKernel* kernel : kernels::cpu_filling::narrow_kernels(format)) {
    if (kernel->name == name) return kernels::cpu_filling::use_narrow_kernel(format, *kernel);
    names.emplace_back(kernel->name);
  }
  fail("this CPU has no kernel '{}', only {}", name, join(names, ", "));
}

}  // namespace dragoman::bench
