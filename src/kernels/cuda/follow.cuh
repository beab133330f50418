#pragma once

#include <cstdlib>

#include "kernels/cuda/early.cuh"

// Kernels whose blocks come while the kernel before still runs, so that its end and their beginning overlap.
namespace dragoman::kernels::cuda {

// Launches a kernel that touches no memory before it waits for the one before.
template <auto kKernel, class... Arguments>
void launch_following(const char* name, dim3 grid, dim3 block, const Arguments&... arguments) {
  static const bool overlaps = knows_clusters(reinterpret_cast<const void*>(kKernel), name);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream();
  config.attrs = &attribute;
  static const bool never = getenv("NOPDL") != nullptr;
  config.numAttrs = overlaps && !never ? 1 : 0;
  check_status(cudaLaunchKernelEx(&config, kKernel, arguments...), name);
}

}  // namespace dragoman::kernels::cuda
