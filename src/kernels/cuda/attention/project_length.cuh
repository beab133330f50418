#pragma once

#include "kernels/cuda/attention/choose_attention.h"
#include "kernels/cuda/runtime/device.cuh"

namespace dragoman::kernels::cuda {

// The rows of one sentence.
struct SentenceRows {
  Size first;
  int rows;

  template <class T>
  __device__ SentenceRows(const ProjectLength<T>& a, Size sentence)
      : first(a.offsets[sentence]), rows(static_cast<int>(a.offsets[sentence + 1] - first)) {}
};

// both[part] without indexing, which would make the compiler copy a kernel's arguments to local memory.
template <class T>
__device__ T* one_of(T* const (&both)[2], Size part) {
  return part == 0 ? both[0] : both[1];
}

// The launches for ProjectLengthKernel::tiles; they trust the choice.
void project_tiles(const ProjectLength<bf16>& a);
void project_tiles(const ProjectLengthBackward<bf16>& b);

}  // namespace dragoman::kernels::cuda
