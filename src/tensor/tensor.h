#pragma once

#include <span>
#include <vector>

#include "tensor/device.h"
#include "tensor/shape.h"

namespace dragoman {

// Where the gradient of a tensor is accumulated. A parameter's is part of the flat gradient buffer and persists; an
// activation's is allocated when the first contribution arrives and released once its op has run backward.
struct Gradient {
  void* data = nullptr;
  bool written = false;  // has a value, so the next contribution is added
  bool persistent = false;
  bool wide = false;  // has the wider type of stat_of(), as the gradients of parameters and of their slices do
};

// A pointer that converts to a typed pointer after checking the element type against the tensor's.
class TypedPointer {
 public:
  TypedPointer(void* data, DType type) : data_(data), type_(type) {}

  template <class T>
  operator T*() const {
    constexpr DType wanted = dtype_of<std::remove_const_t<T>>;
    check(data_ == nullptr || type_ == wanted, "[tensor] expected elements of type {} but got {}", name_of(wanted),
          name_of(type_));
    return static_cast<T*>(data_);
  }

 private:
  void* data_;
  DType type_;
};

// A handle on contiguous memory that an arena or a parameter buffer owns: trivially copyable, cheap to pass by value.
// Handles do not keep memory alive; ops reject a tensor whose arena was reset.
class Tensor {
 public:
  Tensor() = default;
  Tensor(void* data, DType type, Shape shape, const Device& device)
      : data_(data), device_(&device), shape_(shape), dtype_(type) {}

  bool defined() const { return device_ != nullptr; }
  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  const Device& device() const { return *device_; }
  Size count() const { return shape_.count(); }
  Size rows() const { return shape_.rows(); }
  Size cols() const { return shape_.cols(); }
  std::size_t bytes() const { return static_cast<std::size_t>(count() * size_of(dtype_)); }

  // Null for an undefined tensor, as optional arguments of kernels expect. Throws for a weight that is only packed.
  TypedPointer ptr() const {
    check(!packed_only(), "[tensor] a weight {} has no plain form, since the model holds it packed", shape_);
    return {data_, dtype_};
  }
  void* raw() const { return data_; }
  template <class T>
  T* data() const {
    return ptr();
  }

  // The same memory and gradient under another shape of the same count.
  Tensor reshaped(Shape shape) const;
  // The same memory without its gradient.
  Tensor detached() const;
  // A view of rows [first, first + count), without gradient.
  Tensor row_view(Size first, Size count) const;

  // Whether gradients flow to this tensor.
  bool tracked() const { return gradient_ != nullptr; }
  DType gradient_type() const { return gradient_->wide ? stat_of(dtype_) : dtype_; }
  std::size_t gradient_bytes() const { return static_cast<std::size_t>(count() * size_of(gradient_type())); }
  Gradient* gradient() const { return gradient_; }
  void set_gradient(Gradient* gradient) { gradient_ = gradient; }

  // The values in the layout of pack_weight, which `linear` reads. Null if there is no packed form; a reshaped tensor
  // has none.
  const void* packed() const { return packed_; }
  // Whether there is no other form: the plain values are then those of `plain_weight`.
  bool packed_only() const { return data_ == nullptr && device_ != nullptr && shape_.count() > 0; }
  WeightFormat packed_format() const { return packed_format_; }
  void set_packed(const void* packed, WeightFormat format = WeightFormat::same) {
    packed_ = packed;
    packed_format_ = format;
  }

  // Set by the owner of the arena; without it a tensor is valid as long as its buffer.
  void set_generation(const std::uint32_t& generation) {
    generation_ = &generation;
    made_in_ = generation;
  }
  bool alive() const { return generation_ == nullptr || *generation_ == made_in_; }

  // The values on the host, converted to T.
  template <class T>
  std::vector<T> to_host() const;
  // The values from a host copy of this tensor's bytes.
  template <class T>
  std::vector<T> values_of(std::span<const char> bytes) const;
  // Writes count() values, rounded to this tensor's type.
  void write(std::span<const double> values) const;
  void copy_from(const void* host) const { device_->copy_from_host(data_, host, bytes()); }
  void clear() const { device_->clear(data_, bytes()); }

 private:
  void* data_ = nullptr;
  const Device* device_ = nullptr;
  Gradient* gradient_ = nullptr;
  const void* packed_ = nullptr;
  const std::uint32_t* generation_ = nullptr;
  Shape shape_;
  std::uint32_t made_in_ = 0;
  DType dtype_ = DType::f32;
  WeightFormat packed_format_ = WeightFormat::same;
};

// Copies of several tensors on the host, with one synchronisation.
class HostValues {
 public:
  explicit HostValues(std::initializer_list<Tensor> tensors);

  // The values of tensor `i`, converted to T.
  template <class T>
  std::vector<T> of(std::size_t i) const {
    return tensors_[i].values_of<T>(bytes_[i]);
  }

 private:
  std::vector<Tensor> tensors_;
  std::vector<std::vector<char>> bytes_;
};

}  // namespace dragoman
