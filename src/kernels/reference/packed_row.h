#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/arguments/products.h"

// The packed layout of the reference: for each column, its numbers and their scale. Formats are rounded in float, also
// where T is double.
namespace dragoman::kernels::reference_filling {

// Rounds numbers to a format in place; returns their scale.
template <class T>
T round_to(WeightFormat format, Size count, T* numbers) {
  if (format == WeightFormat::bf16)
    for (Size i = 0; i < count; ++i) numbers[i] = bf16::from(static_cast<float>(numbers[i])).value();
  if (format != WeightFormat::int8) return 1;
  float largest = 0;
  for (Size i = 0; i < count; ++i) {
    if (!std::isfinite(numbers[i])) return std::numeric_limits<T>::quiet_NaN();
    largest = std::max(largest, std::abs(static_cast<float>(numbers[i])));
  }
  const float factor = largest > 0 ? kInt8Steps / largest : 0;
  for (Size i = 0; i < count; ++i) numbers[i] = std::nearbyint(static_cast<float>(numbers[i]) * factor);
  return largest / kInt8Steps;
}

// A row of x, rounded to the format of the weight.
template <class T>
class PackedRow {
 public:
  PackedRow(WeightFormat format, Size in, const T* x)
      : numbers_(x, x + in), scale_(round_to(format, in, numbers_.data())) {}

  // bias + x W for one column of a packed weight.
  T times(const void* packed, Size column, T bias) const {
    const Size in = std::ssize(numbers_);
    const T* weight = static_cast<const T*>(packed) + column * (in + 1);
    const T scale = scale_ * weight[in];
    T sum = scale == 1 ? bias : 0;
    for (Size i = 0; i < in; ++i) sum += numbers_[i] * weight[i];
    return scale == 1 ? sum : bias + sum * scale;
  }

 private:
  std::vector<T> numbers_;
  T scale_;
};

}  // namespace dragoman::kernels::reference_filling
