#pragma once

#include <initializer_list>

#include "tensor/context.h"

// What every op does at its door and on its way out.
namespace dragoman::ops {

// Fails unless the tensors (undefined ones aside) live on the context's device and still live, and those that are no
// integers share one element type.
void enter(const char* op, const Context& cx, std::initializer_list<Tensor> inputs);

// A new result of `op`, tracked when one of `inputs` is.
Tensor result(const Context& cx, DType type, Shape shape, std::initializer_list<Tensor> inputs);

// Looks for NaN and infinities when the context asks for it.
void leave(const char* op, const Context& cx, std::initializer_list<Tensor> outputs);

// Fails unless `ids` are i32 and, where the host can read them for free, each lies in [0, limit).
void check_ids(const char* op, const Tensor& ids, Size limit);

bool any_tracked(std::initializer_list<Tensor> inputs);

// Gives back a temporary when the scope ends.
class Scratch {
 public:
  Scratch(const Context& cx, DType type, Shape shape) : cx_(cx), tensor_(cx.empty(type, shape)) {}
  ~Scratch() { cx_.release(tensor_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  TypedPointer ptr() const { return tensor_.ptr(); }
  const Tensor& tensor() const { return tensor_; }

 private:
  const Context& cx_;
  Tensor tensor_;
};

// Room for a gradient of another type than the tensor's own would have. What is written there, or added to its
// zeros, is added to the tensor's gradient when the scope ends. Null when the tensor wants no gradient.
class SinkAs {
 public:
  SinkAs(const Context& cx, const Tensor& tensor, DType type);
  ~SinkAs();
  SinkAs(const SinkAs&) = delete;
  SinkAs& operator=(const SinkAs&) = delete;

  TypedPointer ptr() const { return room_.ptr(); }
  const Tensor& tensor() const { return room_; }

 private:
  const Context& cx_;
  Tensor gradient_, room_;
};

// The gradient of a parameter, or of what takes its place, to be added to.
struct StatSink : SinkAs {
  StatSink(const Context& cx, const Tensor& tensor)
      : SinkAs(cx, tensor, tensor.defined() ? stat_of(tensor.dtype()) : DType::f32) {}
};

}  // namespace dragoman::ops
