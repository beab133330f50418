#include "base/random.h"

#include <cmath>
#include <numbers>

namespace dragoman {

std::uint64_t Random::below(std::uint64_t bound) {
  // Rejection sampling: without it, small remainders would be more likely than others.
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t value = bits64();
    if (value >= threshold) return value % bound;
  }
}

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace dragoman
