#include "kernels/cuda/runtime/dependent_launch.cuh"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 256;

// Reads host memory over the bus while the previous kernel drains, and writes after it (programmatic dependent launch).
__global__ void __launch_bounds__(kThreads) fetch_staged(uint4* to, const uint4* from, int count) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  uint4 value{};
  if (i < count) value = __ldcv(from + i);
  wait_for_previous_kernel();
  if (i < count) to[i] = value;
}

}  // namespace

void fetch(void* to, const void* pinned, std::size_t bytes) {
  const auto count = static_cast<int>(bytes / sizeof(uint4));
  launch_dependent("copy from the host", fetch_staged, dim3(blocks_for(count, kThreads)), dim3(kThreads),
                   static_cast<uint4*>(to), static_cast<const uint4*>(pinned), count);
}

}  // namespace dragoman::kernels::cuda
