#pragma once

#include <array>

#include "text/unicode.h"

namespace dragoman::text {

// Letters, numbers and marks assigned after Unicode 14, in order of code point.
struct RecentRange {
  char32_t first, last;
  CharClass kind;
};
extern const std::array<RecentRange, 130> kRecentRanges;

}  // namespace dragoman::text
