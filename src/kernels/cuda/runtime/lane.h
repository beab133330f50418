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

// What one thread uses of one GPU: a stream, the work not yet submitted to it, and memory that only its work touches.
struct Lane {
  cudaStream_t stream = nullptr;
  Collector kernels;
  Staging staging;
  ReturnBuffer returns;
  std::array<ScratchMemory, static_cast<std::size_t>(Scratch::count)> scratch{};

  // The stream for allocations: recorded kernels are submitted, pending uploads are not.
  cudaStream_t flush_kernels();
  // Appends the pending uploads to the recorded kernels, after which they were asked for.
  void send_uploads();
  // The stream after everything asked for has been submitted, in order.
  cudaStream_t flush();
};

// One GPU as this process uses it. Lanes of ended threads are used again by later ones. A GPU's Runtime is never
// destroyed, since the driver may shut down first.
class Runtime {
 public:
  // `gpu` must be the thread's current GPU.
  Lane& take_lane(int gpu);
  void give_back(Lane& lane);
  // Known once a lane has been taken.
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
