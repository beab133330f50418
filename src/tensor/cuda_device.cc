#include <map>
#include <mutex>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/runtime/check_gpu.h"
#include "tensor/device.h"

namespace dragoman {
namespace {

namespace cuda = kernels::cuda;

class CudaDelivery final : public Delivery {
 public:
  explicit CudaDelivery(std::size_t bytes) : delivery_(bytes) {}
  void send(const void* from) override { delivery_.send(from); }
  const void* wait() override { return delivery_.wait(); }

 private:
  cuda::Delivery delivery_;
};

class CudaMilestone final : public Milestone {
 public:
  void set() override { milestone_.set(); }
  void await() override { milestone_.await(); }

 private:
  cuda::Milestone milestone_;
};

// One GPU. Every method runs on it and leaves the thread's current GPU unchanged; only kernels() changes it.
class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int gpu)
      : Device(cuda::f32(), cuda::wide(), cuda::half()),
        gpu_(gpu),
        name_(gpu == 0 ? "cuda" : fmt::format("cuda:{}", gpu)) {}

  const char* name() const override { return name_.c_str(); }
  bool on_host() const override { return false; }
  void* allocate(std::size_t bytes) const override {
    const cuda::OnGpu here(gpu_);
    return cuda::allocate(bytes);
  }
  void release(void* memory) const override {
    try {
      const cuda::OnGpu here(gpu_);
      cuda::release(memory);
    } catch (const Error&) {  // destructors call this; the next synchronisation reports the failure
    }
  }
  FreeMemory memory() const override {
    const cuda::OnGpu here(gpu_);
    return cuda::free_memory();
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) const override {
    const cuda::OnGpu here(gpu_);
    cuda::copy_from_host(to, from, bytes);
  }
  void upload(void* to, const void* from, std::size_t bytes) const override {
    const cuda::OnGpu here(gpu_);
    cuda::upload(to, from, bytes);
  }
  void copy_to_host(std::span<const kernels::HostCopy> copies) const override {
    const cuda::OnGpu here(gpu_);
    cuda::copy_to_host(copies);
  }
  void clear(void* memory, std::size_t bytes) const override {
    const cuda::OnGpu here(gpu_);
    cuda::clear(memory, bytes);
  }
  void wait() const override {
    const cuda::OnGpu here(gpu_);
    cuda::wait();
  }
  std::unique_ptr<Delivery> delivery(std::size_t bytes) const override {
    const cuda::OnGpu here(gpu_);
    return std::make_unique<CudaDelivery>(bytes);
  }
  std::unique_ptr<Milestone> milestone() const override {
    const cuda::OnGpu here(gpu_);
    return std::make_unique<CudaMilestone>();
  }

 private:
  void enter() const override { cuda::enter(gpu_); }

  int gpu_;
  std::string name_;
};

// Parses "cuda" or "cuda:N" to the number of the GPU, or -1.
int gpu_of(const std::string& name) {
  constexpr std::string_view kBefore = "cuda:";
  if (name == "cuda") return 0;
  if (!name.starts_with(kBefore) || name.size() == kBefore.size() || name.size() > kBefore.size() + 3) return -1;
  if (name.find_first_not_of("0123456789", kBefore.size()) != std::string::npos) return -1;
  return std::stoi(name.substr(kBefore.size()));
}

// Warns once if there is a GPU that this program cannot use.
const Device& host_instead() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (has_nvidia_gpu())
      log::warning("the GPU of this machine cannot be used: {}; computing on the CPU", cuda::problem());
  });
  return cpu_device();
}

}  // namespace

const Device& cuda_device(int gpu) {
  check(cuda::problem().empty(), "no GPU can be used: {}", cuda::problem());
  cuda::check_gpu(gpu, cuda::count());
  static std::mutex mutex;
  static NeverDestroyed<std::map<int, CudaDevice>> devices;  // static objects may hold tensors
  const std::lock_guard lock(mutex);
  return devices->try_emplace(gpu, gpu).first->second;
}

void check_device_name(const std::string& name) {
  check(name == "cpu" || name == "auto" || gpu_of(name) >= 0,
        "there is no device '{}'; expected cpu, cuda, cuda:N or auto", name);
}

const Device& find_device(const std::string& name) {
  check_device_name(name);
  if (name == "cpu") return cpu_device();
  if (name == "auto") return cuda::problem().empty() ? cuda_device() : host_instead();
  return cuda_device(gpu_of(name));
}

}  // namespace dragoman
