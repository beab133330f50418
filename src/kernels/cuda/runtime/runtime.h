#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/cuda/cuda.h"
#include "kernels/cuda/runtime/gpus.h"

// Host code shared by all CUDA kernels. Every function works on the calling thread's current GPU.
namespace dragoman::kernels::cuda {

// The thread's stream, for launching exactly one kernel. The launch may be recorded and submitted later (collector.h).
cudaStream_t stream();
// The same stream for all other work, after submitting everything recorded before.
cudaStream_t direct_stream();

void check_status(cudaError_t status, const char* what);
// Throws Error unless the preceding launch was accepted.
inline void check_launch(const char* kernel) { check_status(cudaGetLastError(), kernel); }

// Scratch memory for kernels: one array per purpose, thread and GPU, valid until the next call for the same purpose.
// The work of a thread runs in order, so kernels that share an array do not conflict.
enum class Scratch { partial_sums, tables, pairs, products, logits, barriers, tickets, count };
void* scratch_bytes(Scratch purpose, std::size_t bytes);
template <class T>
T* scratch(Scratch purpose, Size count) {
  return static_cast<T*>(scratch_bytes(purpose, static_cast<std::size_t>(count) * sizeof(T)));
}

// Counters for is_last_block() (columns.cuh). They are zero before and after each kernel.
unsigned* tickets(Size count);

// Copies a table from the host to scratch memory.
template <class T>
const T* to_scratch(Scratch purpose, const T* host, Size count) {
  T* memory = scratch<T>(purpose, count);
  copy_from_host(memory, host, static_cast<std::size_t>(count) * sizeof(T));
  return memory;
}

// Copies from pinned host memory with a kernel; addresses and size must be multiples of 16. For a few kilobytes this is
// faster than the copy engine: switching between kernels and the copy engine takes longer than the copy.
void fetch(void* to, const void* pinned, std::size_t bytes);

// A driver function that the runtime library does not wrap; `version` is the CUDA version that introduced it.
void* driver_function(const char* name, unsigned version);

// The limits of the current GPU, without the features that set_common() disables.
GpuLimits gpu_limits();
inline int multiprocessors() { return gpu_limits().multiprocessors; }
// Whether the current GPU's code of a kernel was compiled for compute capability 9.0 or later, that is with thread
// block clusters and programmatic dependent launch. A newer GPU may run older code.
bool supports_clusters(const void* kernel, const char* name);

// Whether instructions specific to compute capability 9.0 may be used.
inline bool is_capability_90() { return gpu_limits().capability_90; }

// The bytes of shared memory to request for `numbers` floats; throws Error where a block of `op` cannot have as many.
std::size_t shared_bytes(const char* op, Size numbers);

// The number of blocks of `size` that cover `count`.
inline unsigned blocks_for(Size count, Size size) { return static_cast<unsigned>((count + size - 1) / size); }

}  // namespace dragoman::kernels::cuda
