#pragma once

#include <initializer_list>

#include "tensor/context.h"

// Checks and helpers that every op uses on entry and on return.
namespace dragoman::ops {

// Fails unless all defined tensors are on the context's device and from arenas that were not reset since, and those
// that do not hold integers have one element type.
void enter(const char* op, const Context& cx, std::initializer_list<Tensor> inputs);

// A new result of `op`, tracked when one of `inputs` is.
Tensor result(const Context& cx, DType type, Shape shape, std::initializer_list<Tensor> inputs);

// Fails on NaN and infinity in the results of a checked context.
void leave(const char* op, const Context& cx, std::initializer_list<Tensor> outputs);

// Fails unless `ids` are i32 and, on the CPU, each is in [0, limit). On a GPU the values are checked before they leave
// the host (Packed::check_ids).
void check_ids(const char* op, const Tensor& ids, Size limit);

bool any_tracked(std::initializer_list<Tensor> inputs);

// A temporary, released at the end of the scope.
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

// Memory for a contribution to a tensor's gradient in another type than the gradient has. It starts as zeros and is
// added to the gradient at the end of the scope. Null when the tensor needs no gradient.
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

// The gradient of a parameter, or of a tensor used as one, to be added to.
struct StatSink : SinkAs {
  StatSink(const Context& cx, const Tensor& tensor)
      : SinkAs(cx, tensor, tensor.defined() ? stat_of(tensor.dtype()) : DType::f32) {}
};

}  // namespace dragoman::ops
