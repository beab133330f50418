#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/cuda/cuda.h"

// What the files of this folder share on the host's side.
namespace dragoman::kernels::cuda {

// The stream of the calling thread, for the launch of one kernel: it may be recorded there and go to the GPU later.
cudaStream_t stream();
// The same stream for anything else: everything that was asked for before is on its way.
cudaStream_t direct_stream();

// What waits to be asked for together with what comes next: `now` is called before anything else goes to the thread's
// stream, unless it was taken back before. One at a time.
void hold_back(void (*now)());
bool is_held_back(void (*now)());
// Whether it waited still.
bool take_back(void (*now)());

void check_status(cudaError_t status, const char* what);
// After a launch: was it accepted?
inline void check_launch(const char* kernel) { check_status(cudaGetLastError(), kernel); }

// Working space of the filling itself. What one call leaves there the next one overwrites; since every thread has its
// own and does its work in order, no call can disturb another. Each purpose has its own.
enum class Scratch { partial_sums, tables, pairs, products, logits, meetings, tickets, count };
void* scratch_bytes(Scratch purpose, std::size_t bytes);
template <class T>
T* scratch(Scratch purpose, Size count) {
  return static_cast<T*>(scratch_bytes(purpose, static_cast<std::size_t>(count) * sizeof(T)));
}

// Counters of this thread's calls, all zero; a kernel that counts with them leaves them at zero.
unsigned* tickets(Size count);

// A table of the host in scratch memory of the GPU.
template <class T>
const T* to_scratch(Scratch purpose, const T* host, Size count) {
  T* memory = scratch<T>(purpose, count);
  copy_from_host(memory, host, static_cast<std::size_t>(count) * sizeof(T));
  return memory;
}

// From pinned memory of the host, in sixteens of bytes at addresses divisible by 16, by a kernel: to go from a kernel
// to the copy engine and back takes a GPU longer than to fetch some kilobytes.
void fetch(void* to, const void* pinned, std::size_t bytes);

// A function of the driver for which the runtime has none; `version` is the CUDA that brought it.
void* driver_function(const char* name, unsigned version);

int multiprocessors();
// Whether a kernel was compiled for a generation that has clusters of blocks; its code may be older than the GPU.
bool knows_clusters(const void* kernel, const char* name);

// Whether the GPU is of compute capability 9.0, which has instructions that later ones have not, and they may be used.
bool is_capability_90();

// Throws Error unless a block of `op` finds room for `numbers` in shared memory; returns the bytes to ask for.
std::size_t shared_bytes(const char* op, Size numbers);

// Blocks that cover `count` with `size` each.
inline unsigned blocks_for(Size count, Size size) { return static_cast<unsigned>((count + size - 1) / size); }

}  // namespace dragoman::kernels::cuda
