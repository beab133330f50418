#pragma once

#include <array>
#include <atomic>

#include "kernels/cuda/cuda.h"

// Per-GPU state. It makes no CUDA calls, so it can be tested without a GPU.
namespace dragoman::kernels::cuda {

inline constexpr int kMostGpus = 64;  // per process

// The properties of a GPU that the choice of kernels depends on.
struct GpuLimits {
  int multiprocessors = 0;
  bool capability_90 = false;  // compute capability 9.0, whose wgmma instructions later GPUs do not have
  Size shared_bytes = 0;       // the most shared memory that a block can have
};

// The current GPU of one thread.
class CurrentGpu {
 public:
  int number() const { return number_; }
  // Calls select(gpu) unless this GPU is current already. If that throws, the current GPU does not change.
  template <class Select>
  void enter(int gpu, Select&& select) {
    if (gpu == number_) return;
    select(gpu);
    number_ = gpu;
  }

 private:
  int number_ = 0;
};

// One value per GPU.
template <class T>
class PerGpu {
 public:
  T& at(int gpu) { return values_[static_cast<std::size_t>(gpu)]; }
  // The value of the calling thread's current GPU.
  T& here() { return at(current_gpu()); }

 private:
  std::array<T, kMostGpus> values_{};
};

// The result of an initialisation that is done once per GPU, such as setting the attributes of a kernel, which CUDA
// keeps per device. Two threads may run it at the same time, so it must be idempotent.
class OncePerGpu {
 public:
  template <class Establish>
  bool at(int gpu, Establish&& establish) {
    std::atomic<State>& state = states_.at(gpu);
    State known = state.load(std::memory_order_acquire);
    if (known == State::unknown) {
      known = establish() ? State::yes : State::no;
      state.store(known, std::memory_order_release);
    }
    return known == State::yes;
  }
  // The same for the calling thread's current GPU.
  template <class Establish>
  bool here(Establish&& establish) {
    return at(current_gpu(), establish);
  }

 private:
  enum class State : char { unknown, no, yes };
  PerGpu<std::atomic<State>> states_;
};

}  // namespace dragoman::kernels::cuda
