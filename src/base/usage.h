#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dragoman {

// What this process uses of the machine.
struct Usage {
  double cores = 0;                          // CPU cores kept busy, on average
  std::int64_t memory = 0;                   // resident memory in bytes
  std::optional<double> gpu{};               // share of the time in which the GPU computed, 0 to 1
  std::optional<std::int64_t> gpu_memory{};  // bytes in use on the GPU, by all processes
};

// Measures usage from time to time. GPUs are watched through NVML, the library behind nvidia-smi; without it their
// figures are missing.
class UsageMeter {
 public:
  // The device to watch beside the CPU: cpu, cuda or cuda:N.
  explicit UsageMeter(const std::string& device);
  ~UsageMeter();
  UsageMeter(UsageMeter&&) noexcept;
  UsageMeter& operator=(UsageMeter&&) noexcept;

  // Asks the GPU for its use, at most once per second; call often.
  void sample();
  // Usage since the last call; memory is that of now.
  Usage take();

 private:
  class GpuWatch;
  using Clock = std::chrono::steady_clock;

  std::unique_ptr<GpuWatch> gpu_;  // null if there is none to watch
  Clock::time_point sampled_{}, taken_;
  double cpu_seconds_;  // of the process, when usage was last taken
  double gpu_sum_ = 0;
  int gpu_samples_ = 0;
};

}  // namespace dragoman
