#pragma once

#include <array>
#include <atomic>

#include "kernels/cuda/cuda.h"

// State per GPU without any CUDA call, so that it can be tested without a GPU.
namespace dragoman::kernels::cuda {

inline constexpr int kMostGpus = 64;  // per process

// What kernels are chosen by.
struct GpuLimits {
  int multiprocessors = 0;
  bool capability_90 = false;  // compute capability 9.0, whose wgmma instructions later GPUs do not have
  Size shared_bytes = 0;       // the most shared memory of one block
};

// The current GPU of one thread.
class CurrentGpu {
 public:
  int number() const { return number_; }
  // Calls select(gpu) unless it is current already. If that throws, the current GPU stays what it was.
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

// A fact that is established once per GPU, such as a kernel's attributes, which CUDA keeps per device. Two threads may
// establish it at the same time, so doing it twice must do no harm.
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
  // On the calling thread's current GPU.
  template <class Establish>
  bool here(Establish&& establish) {
    return at(current_gpu(), establish);
  }

 private:
  enum class State : char { unknown, no, yes };
  PerGpu<std::atomic<State>> states_;
};

}  // namespace dragoman::kernels::cuda
