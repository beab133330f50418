#pragma once

#include <initializer_list>

#include "tensor/context.h"

// Checks and helpers that every op uses on entry and on return.
namespace dragoman::ops {

// Throws unless all defined tensors are on the context's device, their arenas have not been reset since, and all
// non-integer tensors have the same element type. Tells a watch of the tape which parameters the op uses, so every
// tensor that its backward function gives a gradient must be among the inputs.
void enter(const char* op, const Context& cx, std::initializer_list<Tensor> inputs);

// Allocates a result, tracked if one of `inputs` is.
Tensor result(const Context& cx, DType type, Shape shape, std::initializer_list<Tensor> inputs);

// In a checked context, throws if a result contains NaN or infinity.
void leave(const char* op, const Context& cx, std::initializer_list<Tensor> outputs);

// Throws unless `ids` are i32 and, on the CPU, each is in [0, limit). For a GPU, values are checked on the host before
// the upload (Packed::check_ids).
void check_ids(const char* op, const Tensor& ids, Size limit);

// 0, 1, ... count - 1: i32 [count].
Tensor counted(const Context& cx, Size count);

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

// Memory for a contribution to a tensor's gradient in a type other than the gradient's. It starts as zeros and is added
// to the gradient at the end of the scope. Null if the tensor needs no gradient.
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

// A sink that accumulates into the gradient of a parameter, or of a tensor used as one.
struct StatSink : SinkAs {
  StatSink(const Context& cx, const Tensor& tensor)
      : SinkAs(cx, tensor, tensor.defined() ? stat_of(tensor.dtype()) : DType::f32) {}
};

}  // namespace dragoman::ops
