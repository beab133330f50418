#pragma once

#include "base/error.h"
#include "kernels/cuda/runtime/gpus.h"

namespace dragoman::kernels::cuda {

// Throws Error unless GPU number `gpu` is one of `gpus`.
inline void check_gpu(int gpu, int gpus) {
  check(gpu >= 0 && gpu < gpus, "there is no cuda:{}; this machine has {} GPU{}", gpu, gpus, gpus == 1 ? "" : "s");
  check(gpu < kMostGpus, "cuda:{} cannot be used: one process works on the first {} GPUs only", gpu, kMostGpus);
}

}  // namespace dragoman::kernels::cuda
