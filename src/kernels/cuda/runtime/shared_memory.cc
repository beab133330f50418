#include "kernels/cuda/runtime/shared_memory.h"

#include <cuda_runtime_api.h>

#include <mutex>
#include <unordered_map>

#include "kernels/cuda/runtime/gpus.h"
#include "kernels/cuda/runtime/runtime.h"

namespace dragoman::kernels::cuda {
namespace {

cudaError_t raise_limit(const void* kernel, Size bytes) {
  static std::mutex mutex;
  static PerGpu<std::unordered_map<const void*, Size>> limits;
  const std::lock_guard lock(mutex);
  Size& limit = limits.here()[kernel];
  if (bytes <= limit) return cudaSuccess;
  const cudaError_t status =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (status == cudaSuccess) limit = bytes;
  return status;
}

}  // namespace

bool try_allow_shared(const void* kernel, Size bytes) {
  const bool allowed = raise_limit(kernel, bytes) == cudaSuccess;
  if (!allowed) cudaGetLastError();  // nobody else shall see it
  return allowed;
}

void allow_shared(const char* name, const void* kernel, Size bytes) { check_status(raise_limit(kernel, bytes), name); }

}  // namespace dragoman::kernels::cuda
