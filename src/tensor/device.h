#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "base/machine.h"
#include "kernels/contract.h"

namespace dragoman {

// Bytes that travel from a device to the host while it goes on.
class Delivery {
 public:
  virtual ~Delivery() = default;

  // What lies there when everything that was asked for before is done.
  virtual void send(const void* from) = 0;
  // Until it is here; the next one overwrites it.
  virtual const void* wait() = 0;
};

// Where tensors live and who computes on them: memory, copies, and a filling of the kernel contract.
class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual const char* name() const = 0;
  // The host may read and write this device's memory.
  virtual bool on_host() const = 0;
  // Memory aligned for any kernel; throws OutOfMemory when there is none left.
  virtual void* allocate(std::size_t bytes) const = 0;
  virtual void release(void* memory) const = 0;
  // What is left of the device's memory.
  virtual FreeMemory memory() const = 0;
  virtual void copy_from_host(void* to, const void* from, std::size_t bytes) const = 0;
  // The same where the bytes behind the array, up to the next multiple of 256, are nobody's.
  virtual void upload(void* to, const void* from, std::size_t bytes) const { copy_from_host(to, from, bytes); }
  // After everything that was asked for before; one wait serves them all.
  virtual void copy_to_host(std::span<const kernels::HostCopy> copies) const = 0;
  void copy_to_host(void* to, const void* from, std::size_t bytes) const {
    const kernels::HostCopy one{to, from, bytes};
    copy_to_host({&one, 1});
  }
  virtual void clear(void* memory, std::size_t bytes) const = 0;
  // Until everything that was asked for is done.
  virtual void wait() const {}
  // A way for `bytes` to the host.
  virtual std::unique_ptr<Delivery> delivery(std::size_t bytes) const = 0;

  // T is float, double (for gradient checks) or bf16 (mixed precision).
  template <class T>
  const kernels::Kernels<T>& kernels() const;

 protected:
  Device(const kernels::Kernels<float>& f32, const kernels::Kernels<double>& f64,
         const kernels::Kernels<kernels::bf16>& half)
      : f32_(f32), f64_(f64), half_(half) {}

 private:
  const kernels::Kernels<float>& f32_;
  const kernels::Kernels<double>& f64_;
  const kernels::Kernels<kernels::bf16>& half_;
};

template <>
inline const kernels::Kernels<float>& Device::kernels<float>() const {
  return f32_;
}
template <>
inline const kernels::Kernels<double>& Device::kernels<double>() const {
  return f64_;
}

template <>
inline const kernels::Kernels<kernels::bf16>& Device::kernels<kernels::bf16>() const {
  return half_;
}

// The host's processor with the fast kernels.
const Device& cpu_device();
// The same memory with the scalar kernels: for tests.
const Device& reference_device();
// The GPU; throws Error with the reason where there is none.
const Device& cuda_device();

// The device that `--device` names: cpu, cuda, cuda:N, or auto, which is a GPU where there is one.
const Device& find_device(const std::string& name);
// Fails with what was expected unless the name is one of those.
void check_device_name(const std::string& name);

}  // namespace dragoman
