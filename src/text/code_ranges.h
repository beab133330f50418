#pragma once

#include <algorithm>
#include <iterator>

namespace dragoman::text {

// The range that contains `code`, or null. `sorted` is a table of ranges with inclusive members `first` and `last`, in
// ascending order and without overlap.
template <class Ranges>
auto find_range(const Ranges& sorted, char32_t code) -> decltype(std::data(sorted)) {
  const auto after = std::upper_bound(std::begin(sorted), std::end(sorted), code,
                                      [](char32_t value, const auto& range) { return value < range.first; });
  if (after == std::begin(sorted)) return nullptr;
  const auto& range = *std::prev(after);
  return code <= range.last ? &range : nullptr;
}

}  // namespace dragoman::text
