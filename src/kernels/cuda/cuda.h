#pragma once

#include <span>
#include <string>

#include "base/machine.h"
#include "kernels/contract.h"

struct CUevent_st;

// The CUDA filling of the contract and the memory it works on. A program built without CUDA has all of this, too: it
// then says so in problem(). What one thread asks for is done in that order; threads do not wait for each other's work,
// so whoever hands memory to another thread calls wait() first.
namespace dragoman::kernels::cuda {

// Why no GPU can be used, as a sentence; empty when one can.
const std::string& problem();
// How many GPUs there are.
int count();
// Chooses the GPU for this process; the first one unless called before anything else.
void select(int gpu);
// "NVIDIA H200".
std::string name();

// What is left of the GPU's memory; what the pool holds for later counts as free.
FreeMemory free_memory();

// Memory of the GPU from a pool that grows and is kept; throws OutOfMemory when there is none left.
void* allocate(std::size_t bytes);
// Never throws, for it is what destructors do: a GPU that fails fails whoever waits for it next.
void release(void* memory);
// Memory of the host that the GPU can read and write.
void* allocate_shared(std::size_t bytes);
void release_shared(void* memory);
// Small arrays are staged and the host goes on at once; `from` may change when the call returns.
void copy_from_host(void* to, const void* from, std::size_t bytes);
// The same where the bytes behind the array, up to the next multiple of 256, are nobody's: arrays that follow each
// other travel together.
void upload(void* to, const void* from, std::size_t bytes);
// Waits for everything that this thread asked for before.
void copy_to_host(std::span<const HostCopy> copies);
inline void copy_to_host(void* to, const void* from, std::size_t bytes) {
  const HostCopy one{to, from, bytes};
  copy_to_host({&one, 1});
}
void clear(void* memory, std::size_t bytes);
void wait();

// Bytes that travel to the host while it goes on.
class Delivery {
 public:
  explicit Delivery(std::size_t bytes);
  ~Delivery();
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  // What lies there when everything that this thread asked for before is done.
  void send(const void* from);
  // Until it is here.
  const void* wait() const;

 private:
  std::size_t bytes_;
  void* memory_ = nullptr;
  CUevent_st* arrived_ = nullptr;
};

// Products of f32 in TF32: ten bits of fraction and the speed of the tensor cores. Off unless asked for.
void set_tf32(bool on);

// Kernels do without instructions that only one generation of GPUs has, as they do on others. For tests.
void set_common(bool on);

const Kernels<float>& f32();
const Kernels<bf16>& half();

}  // namespace dragoman::kernels::cuda
