#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/cuda/runtime/collector.h"
#include "kernels/cuda/runtime/runtime.h"
#include "kernels/cuda/runtime/staging.h"

namespace dragoman::kernels::cuda {

struct ScratchMemory {
  void* memory = nullptr;
  std::size_t size = 0;
};

// The state of one thread on one GPU: a stream, the work not yet submitted to it, and scratch memory for its kernels.
struct Lane {
  cudaStream_t stream = nullptr;
  Collector kernels;
  Staging staging;
  ReturnBuffer returns;
  std::array<ScratchMemory, static_cast<std::size_t>(Scratch::count)> scratch{};

  // Submits recorded kernels, but no pending uploads. Returns the stream, for allocations.
  cudaStream_t flush_kernels();
  // Appends the pending uploads to the recorded kernels: they were requested after them.
  void send_uploads();
  // Submits all pending work in order. Returns the stream.
  cudaStream_t flush();
};

// A GPU in this process: its limits and the lanes of all threads. Lanes of ended threads are reused. A Runtime is never
// destroyed, since the driver may shut down first.
class Runtime {
 public:
  // `gpu` must be the thread's current GPU.
  Lane& take_lane(int gpu);
  void give_back(Lane& lane);
  // Valid once a lane has been taken.
  const GpuLimits& limits() const { return limits_; }

 private:
  void start(int gpu);

  std::mutex mutex_;
  GpuLimits limits_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> free_;
};

// The runtime of the calling thread's current GPU, and the thread's lane there.
Runtime& this_runtime();
Lane& this_lane();

}  // namespace dragoman::kernels::cuda
