#pragma once

#include <cstdint>

namespace dragoman::kernels::cuda {

// Whether all pointers are aligned for load8 and store8 (device.cuh); null pointers are.
template <class... Pointers>
bool aligned16(const Pointers*... pointers) {
  return ((reinterpret_cast<std::uintptr_t>(pointers) % 16 == 0) && ...);
}

}  // namespace dragoman::kernels::cuda
