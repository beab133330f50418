#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/cuda/cuda.h"
#include "kernels/cuda/runtime/gpus.h"

// The host side of all CUDA kernels. Every function works on the calling thread's current GPU.
namespace dragoman::kernels::cuda {

// The thread's stream, for the launch of one kernel, which may be recorded and submitted later (collector.h).
cudaStream_t stream();
// The same stream for anything else: everything asked for before has been submitted.
cudaStream_t direct_stream();

void check_status(cudaError_t status, const char* what);
// Throws Error unless the launch before it was accepted.
inline void check_launch(const char* kernel) { check_status(cudaGetLastError(), kernel); }

// Working memory of the kernels themselves, one array per purpose, thread and GPU. The next call for the same purpose
// overwrites it; the work of a thread is done in order, so no call disturbs another.
enum class Scratch { partial_sums, tables, pairs, products, logits, barriers, tickets, count };
void* scratch_bytes(Scratch purpose, std::size_t bytes);
template <class T>
T* scratch(Scratch purpose, Size count) {
  return static_cast<T*>(scratch_bytes(purpose, static_cast<std::size_t>(count) * sizeof(T)));
}

// Counters that are zero; a kernel that counts with them resets them to zero.
unsigned* tickets(Size count);

// Copies a table of the host to scratch memory.
template <class T>
const T* to_scratch(Scratch purpose, const T* host, Size count) {
  T* memory = scratch<T>(purpose, count);
  copy_from_host(memory, host, static_cast<std::size_t>(count) * sizeof(T));
  return memory;
}

// Copies from pinned host memory by a kernel; addresses and size are multiples of 16. For a few kilobytes this is
// faster than the copy engine, because switching between kernels and the copy engine costs more than the copy.
void fetch(void* to, const void* pinned, std::size_t bytes);

// A driver function that the runtime library does not wrap; `version` is the CUDA version that introduced it.
void* driver_function(const char* name, unsigned version);

// Of the current GPU, less what set_common() takes away.
GpuLimits gpu_limits();
inline int multiprocessors() { return gpu_limits().multiprocessors; }
// Whether the code of a kernel that the current GPU runs was compiled for a generation with thread block clusters; the
// GPU itself may be newer than that.
bool supports_clusters(const void* kernel, const char* name);

// Whether the instructions that only compute capability 9.0 has may be used.
inline bool is_capability_90() { return gpu_limits().capability_90; }

// Throws Error unless `numbers` floats fit into the shared memory of a block of `op`; returns the bytes to ask for.
std::size_t shared_bytes(const char* op, Size numbers);

// Blocks that cover `count` with `size` each.
inline unsigned blocks_for(Size count, Size size) { return static_cast<unsigned>((count + size - 1) / size); }

}  // namespace dragoman::kernels::cuda
