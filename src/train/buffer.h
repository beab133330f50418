#pragma once

#include <utility>

#include "tensor/context.h"

namespace dragoman::train {

// A flat tensor that owns its memory, initially zero: moments, averages.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Device& device, DType type, Size count)
      : tensor_(device.allocate(static_cast<std::size_t>(count * size_of(type))), type, {count}, device) {
    tensor_.clear();
  }
  ~Buffer() {
    if (tensor_.defined()) tensor_.device().release(tensor_.raw());
  }
  Buffer(Buffer&& other) noexcept : tensor_(std::exchange(other.tensor_, {})) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(tensor_, other.tensor_);
    return *this;
  }

  const Tensor& tensor() const { return tensor_; }
  // Elements [first, first + count) as rows of one column.
  Tensor rows(Size first, Size count) const { return tensor_.reshaped({tensor_.count(), 1}).row_view(first, count); }
  bool defined() const { return tensor_.defined(); }

 private:
  Tensor tensor_;
};

}  // namespace dragoman::train
