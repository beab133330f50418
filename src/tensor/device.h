#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "base/machine.h"
#include "kernels/contract.h"

namespace dragoman {

// An asynchronous copy from a device to the host.
class Delivery {
 public:
  virtual ~Delivery() = default;

  // Enqueues the copy after all work submitted before.
  virtual void send(const void* from) = 0;
  // Waits until the copy has arrived; the next send() overwrites it.
  virtual const void* wait() = 0;
};

// A point in the work that one thread submits to a device, for which another thread's work can wait. On the CPU work is
// done when it is submitted, so nothing has to wait.
class Milestone {
 public:
  virtual ~Milestone() = default;

  // Everything that the calling thread has submitted so far.
  virtual void set() {}
  // Whatever the calling thread submits from now on runs after the milestone that was set last.
  virtual void await() {}
};

// One processor with its memory: allocation, copies, and a table of kernels. Threads may use any number of devices at
// the same time; the work that one thread submits to one device runs in order.
class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual const char* name() const = 0;
  // Whether the host may read and write this device's memory.
  virtual bool on_host() const = 0;
  // Memory aligned for any kernel. Throws OutOfMemory if there is not enough.
  virtual void* allocate(std::size_t bytes) const = 0;
  virtual void release(void* memory) const = 0;
  // Free and total memory of the device.
  virtual FreeMemory memory() const = 0;
  virtual void copy_from_host(void* to, const void* from, std::size_t bytes) const = 0;
  // Like copy_from_host(), but may overwrite the bytes after the array up to the next multiple of 256.
  virtual void upload(void* to, const void* from, std::size_t bytes) const { copy_from_host(to, from, bytes); }
  // Synchronises once for all copies, after all work submitted before.
  virtual void copy_to_host(std::span<const kernels::HostCopy> copies) const = 0;
  void copy_to_host(void* to, const void* from, std::size_t bytes) const {
    const kernels::HostCopy one{to, from, bytes};
    copy_to_host({&one, 1});
  }
  virtual void clear(void* memory, std::size_t bytes) const = 0;
  // Waits for all work submitted by this thread.
  virtual void wait() const {}
  virtual std::unique_ptr<Delivery> delivery(std::size_t bytes) const = 0;
  virtual std::unique_ptr<Milestone> milestone() const { return std::make_unique<Milestone>(); }

  // The kernels for T: float, double (for gradient checks) or bf16 (mixed precision). All GPUs share one table, whose
  // kernels run on the calling thread's current GPU; kernels() makes this device the current one. A thread that
  // alternates between devices must therefore call kernels() again after each change.
  template <class T>
  const kernels::Kernels<T>& kernels() const;

 protected:
  Device(const kernels::Kernels<float>& f32, const kernels::Kernels<double>& f64,
         const kernels::Kernels<kernels::bf16>& half)
      : f32_(f32), f64_(f64), half_(half) {}

 private:
  // Makes this device the calling thread's current one.
  virtual void enter() const {}

  const kernels::Kernels<float>& f32_;
  const kernels::Kernels<double>& f64_;
  const kernels::Kernels<kernels::bf16>& half_;
};

template <>
inline const kernels::Kernels<float>& Device::kernels<float>() const {
  enter();
  return f32_;
}
template <>
inline const kernels::Kernels<double>& Device::kernels<double>() const {
  enter();
  return f64_;
}

template <>
inline const kernels::Kernels<kernels::bf16>& Device::kernels<kernels::bf16>() const {
  enter();
  return half_;
}

// The CPU with the fast kernels.
const Device& cpu_device();
// The CPU with the scalar kernels, for tests.
const Device& reference_device();
// A GPU. Throws Error with the reason if it cannot be used.
const Device& cuda_device(int gpu = 0);

// The device that `--device` names: cpu, cuda (the first GPU), cuda:N, or auto (the first GPU, or the CPU without one).
const Device& find_device(const std::string& name);
// Throws Error unless the name has one of these forms.
void check_device_name(const std::string& name);

}  // namespace dragoman
