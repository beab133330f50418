#include "base/usage.h"

#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>

#include "base/shared_library.h"

namespace dragoman {
namespace {

constexpr auto kPause = std::chrono::seconds(1);  // NVML averages the use of a GPU over up to a second

// CPU time of all threads.
double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::int64_t resident_bytes() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// The number of a GPU as CUDA counts them: 0 for cuda, N for cuda:N, -1 for other devices.
int gpu_number(const std::string& device) {
  if (!device.starts_with("cuda")) return -1;
  const std::size_t colon = device.find(':');
  return colon == std::string::npos ? 0 : std::stoi(device.substr(colon + 1));
}

}  // namespace

// One GPU in NVML, found by its bus address: NVML counts GPUs in another order than CUDA.
class UsageMeter::GpuWatch {
 public:
  explicit GpuWatch(int number) {
    int device = 0;
    std::array<char, 32> address{};
    const SharedLibrary driver("libcuda.so.1");
    const bool is_known = driver.call("cuInit", 0u) && driver.call("cuDeviceGet", &device, number) &&
                          driver.call("cuDeviceGetPCIBusId", address.data(), static_cast<int>(address.size()), device);
    if (!is_known || !nvml_.call("nvmlInit_v2")) return;
    if (!nvml_.call("nvmlDeviceGetHandleByPciBusId_v2", static_cast<const char*>(address.data()), &handle_))
      handle_ = nullptr;
  }

  bool is_found() const { return handle_ != nullptr; }

  std::optional<double> use() const {
    struct {  // nvmlUtilization_t, in per cent
      unsigned gpu = 0, memory = 0;
    } rates;
    if (!nvml_.call("nvmlDeviceGetUtilizationRates", handle_, &rates)) return std::nullopt;
    return rates.gpu / 100.0;
  }

  std::optional<std::int64_t> memory() const {
    struct {  // nvmlMemory_t
      unsigned long long total = 0, free = 0, used = 0;
    } bytes;
    if (!nvml_.call("nvmlDeviceGetMemoryInfo", handle_, &bytes)) return std::nullopt;
    return static_cast<std::int64_t>(bytes.used);
  }

 private:
  SharedLibrary nvml_{"libnvidia-ml.so.1"};
  void* handle_ = nullptr;
};

UsageMeter::UsageMeter(const std::string& device) : taken_(Clock::now()), cpu_seconds_(process_seconds()) {
  const int number = gpu_number(device);
  if (number < 0) return;
  gpu_ = std::make_unique<GpuWatch>(number);
  if (!gpu_->is_found()) gpu_.reset();
}

UsageMeter::~UsageMeter() = default;
UsageMeter::UsageMeter(UsageMeter&&) noexcept = default;
UsageMeter& UsageMeter::operator=(UsageMeter&&) noexcept = default;

void UsageMeter::sample() {
  if (!gpu_) return;
  const Clock::time_point now = Clock::now();
  if (now - sampled_ < kPause) return;
  sampled_ = now;
  if (const std::optional<double> use = gpu_->use()) {
    gpu_sum_ += *use;
    ++gpu_samples_;
  }
}

Usage UsageMeter::take() {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - taken_).count(), cpu_seconds = process_seconds();
  Usage usage{.cores = seconds > 0 ? (cpu_seconds - cpu_seconds_) / seconds : 0, .memory = resident_bytes()};
  if (gpu_samples_ > 0) usage.gpu = gpu_sum_ / gpu_samples_;
  if (gpu_) usage.gpu_memory = gpu_->memory();
  taken_ = now;
  cpu_seconds_ = cpu_seconds;
  gpu_sum_ = 0;
  gpu_samples_ = 0;
  return usage;
}

}  // namespace dragoman
