#pragma once

#include <array>
#include <initializer_list>

#include "tensor/dtype.h"

namespace dragoman {

// Up to four sizes. Most ops see a tensor as rows() x cols(): everything but the last size, and the last.
class Shape {
 public:
  static constexpr int kMaxRank = 4;

  constexpr Shape() = default;
  Shape(std::initializer_list<Size> sizes);

  constexpr int rank() const { return rank_; }
  constexpr Size operator[](int axis) const { return sizes_[static_cast<std::size_t>(axis)]; }
  constexpr Size count() const {
    Size product = 1;
    for (int axis = 0; axis < rank_; ++axis) product *= (*this)[axis];
    return product;
  }
  constexpr Size cols() const { return rank_ == 0 ? 1 : (*this)[rank_ - 1]; }
  constexpr Size rows() const {
    Size product = 1;
    for (int axis = 0; axis + 1 < rank_; ++axis) product *= (*this)[axis];
    return product;
  }
  bool operator==(const Shape&) const = default;

 private:
  std::array<Size, kMaxRank> sizes_{};
  int rank_ = 0;
};

}  // namespace dragoman

// "[88, 512]"; formatted only when an error needs it.
template <>
struct fmt::formatter<dragoman::Shape> : fmt::formatter<fmt::string_view> {
  format_context::iterator format(const dragoman::Shape& shape, format_context& context) const;
};
