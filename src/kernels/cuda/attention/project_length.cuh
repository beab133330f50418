#pragma once

#include "kernels/cuda/runtime/device.cuh"

namespace dragoman::kernels::cuda {

// The rows of one sentence.
struct Stretch {
  Size first;
  int rows;

  template <class T>
  __device__ Stretch(const ProjectLength<T>& a, Size sentence)
      : first(a.offsets[sentence]), rows(static_cast<int>(a.offsets[sentence + 1] - first)) {}
};

// What belongs to a projection; not an index into a kernel's arguments, which would be copied to memory for it.
template <class T>
__device__ T* one_of(T* const (&both)[2], Size part) {
  return part == 0 ? both[0] : both[1];
}

// Linformer's projections on tensor cores: bf16, columns in whole tiles. False when it does not fit.
bool project_on_tensor_cores(const ProjectLength<bf16>& a);
bool project_on_tensor_cores(const ProjectLengthBackward<bf16>& b);

}  // namespace dragoman::kernels::cuda
