#include "text/id_count.h"

#include <utility>

#include "base/error.h"

namespace dragoman::text {

std::int32_t rounded_id_count(std::size_t count, int multiple, const char* what) {
  check(multiple >= 1 && multiple <= kLargestMultiple,
        "{}: the size must be rounded to a multiple from 1 to {} but got {}", what, kLargestMultiple, multiple);
  const auto step = static_cast<std::size_t>(multiple);
  const std::size_t size = (count + step - 1) / step * step;
  check(std::in_range<std::int32_t>(size) && size >= count, "{}: {} ids are too many", what, count);
  return static_cast<std::int32_t>(size);
}

}  // namespace dragoman::text
