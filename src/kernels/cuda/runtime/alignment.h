#pragma once

#include <cstdint>

namespace dragoman::kernels::cuda {

// Whether load8 and store8 (device.cuh) may be used on all of these; null is fine.
template <class... Pointers>
bool aligned16(const Pointers*... pointers) {
  return ((reinterpret_cast<std::uintptr_t>(pointers) % 16 == 0) && ...);
}

}  // namespace dragoman::kernels::cuda
