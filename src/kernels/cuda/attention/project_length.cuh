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

// both[part], but without indexing, for which the compiler would copy the kernel's arguments to local memory.
template <class T>
__device__ T* one_of(T* const (&both)[2], Size part) {
  return part == 0 ? both[0] : both[1];
}

// The launches of ProjectLengthKernel::tiles. They do not check its conditions again.
void project_tiles(const ProjectLength<bf16>& a);
void project_tiles(const ProjectLengthBackward<bf16>& b);

}  // namespace dragoman::kernels::cuda
