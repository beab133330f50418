#include "tensor/tensor.h"

#include <type_traits>

namespace dragoman {

static_assert(std::is_trivially_copyable_v<Tensor> && std::is_trivially_destructible_v<Tensor>,
              "the tape keeps tensors in arena memory");

Tensor Tensor::reshaped(Shape shape) const {
  check(shape.count() == count(), "[reshape] {} cannot be seen as {}", shape_, shape);
  Tensor other = *this;
  other.shape_ = shape;
  other.packed_ = nullptr;
  return other;
}

Tensor Tensor::detached() const {
  Tensor other = *this;
  other.gradient_ = nullptr;
  return other;
}

Tensor Tensor::row_view(Size first, Size count) const {
  check(first >= 0 && count >= 0 && first + count <= rows(), "[row_view] rows {} to {} are not within {}", first,
        first + count, shape_);
  check(!packed_only(), "[row_view] {} has no plain form", shape_);
  Tensor other = detached();
  other.packed_ = nullptr;
  other.data_ = static_cast<char*>(data_) + first * cols() * size_of(dtype_);
  other.shape_ = {count, cols()};
  return other;
}

void Tensor::write(std::span<const double> values) const {
  check(std::ssize(values) == count(), "[write] {} values do not fill {}", values.size(), shape_);
  switch (dtype_) {
    case DType::f64: return copy_from(values.data());
    case DType::f32: return copy_from(std::vector<float>(values.begin(), values.end()).data());
    case DType::bf16: {
      std::vector<kernels::bf16> narrow;
      for (const double value : values) narrow.push_back(kernels::bf16::from(static_cast<float>(value)));
      return copy_from(narrow.data());
    }
    default: fail("[write] expected a tensor of f32, f64 or bf16 but got {}", name_of(dtype_));
  }
}

template <class T>
std::vector<T> Tensor::to_host() const {
  if (device().on_host()) return values_of<T>({static_cast<const char*>(raw()), bytes()});
  return HostValues({*this}).of<T>(0);
}

template <class T>
std::vector<T> Tensor::values_of(std::span<const char> bytes) const {
  std::vector<T> values(static_cast<std::size_t>(count()));
  const auto convert = [&]<class From>(const From* from) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<From, kernels::bf16>)
        values[i] = static_cast<T>(from[i].value());
      else
        values[i] = static_cast<T>(from[i]);
    }
  };
  const void* data = bytes.data();
  switch (dtype_) {
    case DType::f32: convert(static_cast<const float*>(data)); break;
    case DType::f64: convert(static_cast<const double*>(data)); break;
    case DType::bf16: convert(static_cast<const kernels::bf16*>(data)); break;
    case DType::i32: convert(static_cast<const std::int32_t*>(data)); break;
    case DType::i8: convert(static_cast<const std::int8_t*>(data)); break;
  }
  return values;
}

template std::vector<float> Tensor::to_host() const;
template std::vector<double> Tensor::to_host() const;
template std::vector<std::int32_t> Tensor::to_host() const;
template std::vector<float> Tensor::values_of(std::span<const char>) const;
template std::vector<double> Tensor::values_of(std::span<const char>) const;
template std::vector<std::int32_t> Tensor::values_of(std::span<const char>) const;

HostValues::HostValues(std::initializer_list<Tensor> tensors) : tensors_(tensors) {
  std::vector<kernels::HostCopy> copies;
  for (const Tensor& tensor : tensors_) {
    std::vector<char>& bytes = bytes_.emplace_back(tensor.bytes());
    copies.push_back({bytes.data(), tensor.raw(), bytes.size()});
  }
  if (!tensors_.empty()) tensors_.front().device().copy_to_host(copies);
}

}  // namespace dragoman
