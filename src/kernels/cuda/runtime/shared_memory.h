#pragma once

#include "kernels/contract.h"

// How much dynamic shared memory kernels may use. CUDA keeps one limit per kernel and GPU, for all threads of the
// process, so it is only ever raised: a thread that needs less must not take it from another that is about to launch.
namespace dragoman::kernels::cuda {

// Allows a kernel to use `bytes` of dynamic shared memory on the current GPU; false where the GPU has less.
bool try_allow_shared(const void* kernel, Size bytes);
// The same; throws Error where the GPU has less.
void allow_shared(const char* name, const void* kernel, Size bytes);

template <class... Arguments>
bool try_allow_shared(void (*kernel)(Arguments...), Size bytes) {
  return try_allow_shared(reinterpret_cast<const void*>(kernel), bytes);
}
template <class... Arguments>
void allow_shared(const char* name, void (*kernel)(Arguments...), Size bytes) {
  allow_shared(name, reinterpret_cast<const void*>(kernel), bytes);
}

}  // namespace dragoman::kernels::cuda
