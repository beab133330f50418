#include "tensor/device.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "base/never_destroyed.h"
#include "kernels/fillings.h"

namespace dragoman {
namespace {

class HostDelivery final : public Delivery {
 public:
  explicit HostDelivery(std::size_t bytes) : memory_(bytes) {}
  void send(const void* from) override { std::memcpy(memory_.data(), from, memory_.size()); }
  const void* wait() override { return memory_.data(); }

 private:
  std::vector<std::byte> memory_;
};

class HostDevice final : public Device {
 public:
  HostDevice(const char* name, const kernels::Kernels<float>& f32)
      : Device(f32, kernels::reference<double>(), no_half(name)), name_(name) {}

  const char* name() const override { return name_; }

  bool on_host() const override { return true; }

  void* allocate(std::size_t bytes) const override {
    void* memory = ::operator new(bytes, kAlignment, std::nothrow);
    if (memory == nullptr) throw OutOfMemory(fmt::format("[memory] cannot allocate {} bytes on {}", bytes, name_));
    prefer_large_pages(memory, bytes);
    return memory;
  }
  void release(void* memory) const override { ::operator delete(memory, kAlignment); }
  FreeMemory memory() const override { return free_memory(); }
  void copy_from_host(void* to, const void* from, std::size_t bytes) const override { copy(to, from, bytes); }
  void copy_to_host(std::span<const kernels::HostCopy> copies) const override {
    for (const kernels::HostCopy& one : copies) copy(one.to, one.from, one.bytes);
  }
  void clear(void* memory, std::size_t bytes) const override {
    if (bytes > 0) std::memset(memory, 0, bytes);
  }
  std::unique_ptr<Delivery> delivery(std::size_t bytes) const override { return std::make_unique<HostDelivery>(bytes); }

 private:
  static constexpr std::align_val_t kAlignment{64};

  // Every step reads all weights in order. With huge pages the hardware prefetcher does not stop at every 4 KiB page
  // boundary. Systems without huge pages ignore the advice.
  static void prefer_large_pages(void* memory, std::size_t bytes) {
    constexpr std::uintptr_t kPage = 4096, kWorthIt = 4 << 20;
    if (bytes < kWorthIt) return;
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kPage * kPage;
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }

  static const kernels::Kernels<kernels::bf16>& no_half(const char* name) {
    static const kernels::Kernels<kernels::bf16> empty(name);
    return empty;
  }

  static void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }

  const char* name_;
};

}  // namespace

// Static objects may hold tensors, whose memory goes back to the device.
const Device& cpu_device() {
  static NeverDestroyed<HostDevice> device("cpu", kernels::cpu());
  return *device;
}

const Device& reference_device() {
  static NeverDestroyed<HostDevice> device("reference", kernels::reference<float>());
  return *device;
}

}  // namespace dragoman
