#include "tensor/shape.h"

#include <fmt/format.h>

#include <string>

namespace dragoman {

Shape::Shape(std::initializer_list<Size> sizes) {
  check(sizes.size() <= kMaxRank, "[shape] expected at most {} sizes but got {}", kMaxRank, sizes.size());
  for (const Size size : sizes) {
    check(size >= 0, "[shape] a size cannot be negative, got {}", size);
    sizes_[static_cast<std::size_t>(rank_++)] = size;
  }
}

}  // namespace dragoman

fmt::format_context::iterator fmt::formatter<dragoman::Shape>::format(const dragoman::Shape& shape,
                                                                      format_context& context) const {
  std::string words = "[";
  for (int axis = 0; axis < shape.rank(); ++axis) words += (axis ? ", " : "") + std::to_string(shape[axis]);
  return fmt::formatter<fmt::string_view>::format(words + "]", context);
}
