#pragma once

#include <compare>

namespace dragoman {

// Source word `source` and target word `target` translate each other. Words are counted from 0.
struct AlignmentLink {
  int source = 0, target = 0;
  auto operator<=>(const AlignmentLink&) const = default;
};

}  // namespace dragoman
