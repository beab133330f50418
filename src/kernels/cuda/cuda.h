#pragma once

#include <span>
#include <string>

#include "base/machine.h"
#include "kernels/contract.h"

struct CUevent_st;
struct CUstream_st;

// The CUDA kernels and the memory they work on. A program built without CUDA has these functions, too; problem() then
// says so.
//
// Every thread has a current GPU, number 0 at first, and all functions and kernels work on it. Memory belongs to the
// GPU that was current when it was allocated. What one thread asks of one GPU is done in that order. Threads do not
// wait for each other's work: call wait(), or set a Milestone, before handing memory to another thread.
namespace dragoman::kernels::cuda {

// Why no GPU can be used, as a sentence; empty when one can.
const std::string& problem();
// The number of GPUs.
int count();

// The calling thread's current GPU.
int current_gpu();
// Makes a GPU the current one. Throws Error if there is no such GPU. Costs nothing when it is current already.
void enter(int gpu);
// Makes a GPU the current one, and at the end of the scope the one that was current before.
class OnGpu {
 public:
  explicit OnGpu(int gpu) : before_(current_gpu()) { enter(gpu); }
  ~OnGpu();
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  int before_;
};

// The name of the GPU: "NVIDIA H200".
std::string name();
// The PCI address of the GPU, such as 0000:1b:00.0, by which processes that see different GPUs as number 0 can tell
// them apart.
std::string address();

// Free memory of the GPU, including what the pool holds for reuse.
FreeMemory free_memory();

// Memory of the GPU from a pool that only grows; throws OutOfMemory when there is none left.
void* allocate(std::size_t bytes);
// Never throws, since destructors call it; the next synchronisation reports a failed GPU.
void release(void* memory);
// Pinned host memory that the GPU can read and write.
void* allocate_shared(std::size_t bytes);
void release_shared(void* memory);
// Small arrays are staged and the call returns at once; `from` may change when it returns.
void copy_from_host(void* to, const void* from, std::size_t bytes);
// The same, and the bytes behind the array, up to the next multiple of 256, may be overwritten: adjacent arrays are
// merged into one transfer.
void upload(void* to, const void* from, std::size_t bytes);
// Waits for everything that this thread asked for before.
void copy_to_host(std::span<const HostCopy> copies);
inline void copy_to_host(void* to, const void* from, std::size_t bytes) {
  const HostCopy one{to, from, bytes};
  copy_to_host({&one, 1});
}
void clear(void* memory, std::size_t bytes);
void wait();
// The stream of this thread, after submitting everything asked for before: for libraries that enqueue their own work.
CUstream_st* submitted_stream();

// An asynchronous copy to the host, from the GPU that was current when it was made.
class Delivery {
 public:
  explicit Delivery(std::size_t bytes);
  ~Delivery();
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  // Copies the contents after everything that this thread asked for before.
  void send(const void* from);
  // Waits until the copy has arrived.
  const void* wait() const;

 private:
  int gpu_ = 0;
  std::size_t bytes_;
  void* memory_ = nullptr;
  CUevent_st* arrived_ = nullptr;
};

// A point in one thread's work for which another thread's work can wait, on the GPU that was current when it was made.
class Milestone {
 public:
  Milestone();
  ~Milestone();
  Milestone(const Milestone&) = delete;
  Milestone& operator=(const Milestone&) = delete;

  // Everything that this thread asked for before.
  void set();
  // What this thread asks for from now on is done after it. The host does not wait.
  void await() const;

 private:
  int gpu_ = 0;
  CUevent_st* reached_ = nullptr;
};

// Whether f32 products that this thread launches use TF32: 10 bits of mantissa at the speed of the tensor cores. Off at
// first. Returns the previous setting.
bool set_tf32(bool on);

// Makes kernels avoid instructions that only one generation of GPUs has. For tests.
void set_common(bool on);

const Kernels<float>& f32();
const Kernels<bf16>& half();
// Totals are f64: add_sum is the only entry.
const Kernels<double>& wide();

}  // namespace dragoman::kernels::cuda
