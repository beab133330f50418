#include "data/split.h"

#include <cmath>

#include "base/random.h"

namespace dragoman::data {

bool is_held_out(const SplitOptions& split, std::uint64_t index, std::uint64_t count) {
  switch (split.by) {
    case SplitBy::last: {
      const auto held = static_cast<std::uint64_t>(std::llround(split.share * static_cast<double>(count)));
      return index >= count - held;
    }
    case SplitBy::random: {
      constexpr std::uint64_t kPurpose = 0x73706C6974;  // "split": its own random stream
      const auto draw = static_cast<double>(mix(mix(split.seed, kPurpose), index) >> 11) * 0x1.0p-53;
      return draw < split.share;
    }
    default: return false;
  }
}

}  // namespace dragoman::data
