#pragma once

#include <span>

#include "base/random.h"
#include "tensor/arena.h"
#include "tensor/tape.h"
#include "tensor/tensor.h"

namespace dragoman {

// The memory of one worker, reset between steps.
struct Workspace {
  explicit Workspace(const Device& on) : device(on), arena(on), host(cpu_device()), tape(host) {}

  void reset() {
    tape.clear();
    arena.reset();
    host.reset();
  }
  // Like reset(), and returns the memory to the device.
  void drop() {
    tape.clear();
    arena.drop();
    host.drop();
  }

  const Device& device;
  Arena arena;  // tensors
  Arena host;   // closures of the tape and tables for the host
  Tape tape;
};

// Where to write a gradient, and whether to accumulate. Converts to false if the tensor needs no gradient.
struct Sink {
  Tensor tensor;
  bool accumulate = false;

  explicit operator bool() const { return tensor.defined(); }
  TypedPointer ptr() const { return tensor.ptr(); }
};

// The mode of a computation, passed to every op: where it runs, whether the tape records it, whether dropout is active,
// and the next random numbers. Models and ops themselves have no mode.
class Context {
 public:
  // For inference: no recording and no dropout.
  explicit Context(Workspace& workspace) : workspace_(workspace) {}
  // For training: records, and draws dropout from the random stream (seed, step).
  static Context training(Workspace& workspace, std::uint64_t seed, std::uint64_t step);

  const Device& device() const { return workspace_.device; }
  Arena& arena() const { return workspace_.arena; }
  Arena& host() const { return workspace_.host; }

  bool recording() const { return recording_; }
  bool dropping() const { return dropping_; }
  void set_dropping(bool dropping) { dropping_ = dropping; }
  // Checks the results of every op for NaN and infinity. Slow; for finding where a run diverged.
  void set_checked(bool checked) { checked_ = checked; }
  bool checked() const { return checked_; }

  // Dropout with this rate and its own random stream; rate 0 unless dropping().
  kernels::Dropout next_dropout(double rate);

  // Uninitialised arena memory.
  Tensor empty(DType type, Shape shape) const;
  Tensor zeros(DType type, Shape shape) const;
  // Host values of the tensor's own type.
  template <class T>
  Tensor from_host(std::span<const T> values, Shape shape) const {
    check(shape.count() == std::ssize(values), "[from_host] {} values do not fill {}", values.size(), shape);
    const Tensor tensor = empty(dtype_of<T>, shape);
    device().upload(tensor.raw(), values.data(), tensor.bytes());
    return tensor;
  }
  // The same from numbers of another type: f32, f64 or bf16 from double.
  Tensor from_numbers(DType type, std::span<const double> values, Shape shape) const;
  // Memory on the host that lives until the workspace is reset.
  template <class T>
  std::span<T> host_array(Size count) const {
    return {static_cast<T*>(host().allocate(static_cast<std::size_t>(count) * sizeof(T))),
            static_cast<std::size_t>(count)};
  }

  // Copies values between tensors of the same count and type; no gradient flows.
  void copy(const Tensor& from, const Tensor& to) const;

  // Makes gradients flow to `tensor` when recording. For results of ops and for leaves other than parameters.
  Tensor track(Tensor tensor) const;
  // The gradient of `tensor` accumulated so far; zeros if there is none.
  Tensor gradient(const Tensor& tensor) const;
  // Memory for one more contribution to the gradient of `tensor`.
  Sink sink(const Tensor& tensor) const;
  // Sets the initial gradient of `tensor` for backward.
  void seed(const Tensor& tensor, std::span<const double> gradient) const;
  // Returns a temporary to the arena before the reset.
  void release(const Tensor& tensor) const { arena().release(tensor.raw(), tensor.bytes()); }

  // Called by every op with its inputs.
  void note_uses(std::initializer_list<Tensor> inputs) const {
    for (const Tensor& input : inputs) workspace_.tape.note_use(input);
  }
  template <class F>
  void record(const char* op, std::initializer_list<Tensor> outputs, F backward) const {
    workspace_.tape.record(op, outputs, backward);
  }
  void backward() { workspace_.tape.backward(*this); }

  // Calls f(kernels) with the table for the element type: one body serves f32, f64 and bf16.
  template <class F>
  void run(DType type, F&& f) const {
    switch (type) {
      case DType::f32: return f(device().kernels<float>());
      case DType::f64: return f(device().kernels<double>());
      case DType::bf16: return f(device().kernels<kernels::bf16>());
      default: fail("[kernels] there is no arithmetic on {}", name_of(type));
    }
  }

 private:
  Workspace& workspace_;
  RandomKey key_{};
  std::uint32_t draws_ = 0;
  bool recording_ = false, dropping_ = false, checked_ = false;
};

}  // namespace dragoman
