#pragma once

#include "kernels/cuda/runtime/device.cuh"

// Programmatic dependent launch (compute capability 9.0 and later): the blocks of a kernel start while the previous
// kernel drains, and prefetch data that does not depend on it.
namespace dragoman::kernels::cuda {

// Waits until the previous kernel has ended and its writes are visible; then allows the blocks of the next kernel to
// start.
__device__ inline void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// The attribute of a launch that may start while the previous kernel drains.
inline cudaLaunchAttribute dependent_launch_attribute() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

// Launches a kernel that calls wait_for_previous_kernel(), with `bytes` of dynamic shared memory: as a dependent launch
// where the GPU supports it.
template <class... Parameters, class... Arguments>
void launch_dependent_with(std::size_t bytes, const char* name, void (*kernel)(Parameters...), dim3 blocks,
                           dim3 threads, const Arguments&... arguments) {
  cudaLaunchAttribute attribute = dependent_launch_attribute();
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = bytes;
  config.stream = stream();
  config.attrs = &attribute;
  static OncePerGpu once;
  const bool supported = once.here([&] { return supports_clusters(reinterpret_cast<const void*>(kernel), name); });
  config.numAttrs = supported ? 1 : 0;
  check_status(cudaLaunchKernelEx(&config, kernel, arguments...), name);
}
template <class... Parameters, class... Arguments>
void launch_dependent(const char* name, void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                      const Arguments&... arguments) {
  launch_dependent_with(0, name, kernel, blocks, threads, arguments...);
}

}  // namespace dragoman::kernels::cuda
