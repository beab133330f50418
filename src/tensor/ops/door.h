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

// The gradient buffer of a parameter, to be added to; undefined when it wants none.
inline Tensor parameter_sink(const Context& cx, const Tensor& parameter) {
  return parameter.tracked() ? cx.gradient(parameter) : Tensor();
}

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

}  // namespace dragoman::ops
