#include "base/hash.h"

#include <algorithm>

#include "base/block_bytes.h"

namespace dragoman {

// Each lane hashes every fourth word. For any given word, a step is a bijection of the lane, so two different states
// never merge.
void Hasher::mix_block(const char* block) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t word;
    std::memcpy(&word, block + 8 * i, 8);
    const std::uint64_t product = (lanes_[i] ^ word) * kMultiplier;
    lanes_[i] = product ^ (product >> 32);
  }
}

void Hasher::add(std::string_view bytes) {
  add_in_blocks(bytes, rest_, size_, [this](const char* block) { mix_block(block); });
}

std::uint64_t Hasher::value() const {
  Hasher last = *this;
  std::fill(last.rest_.begin() + static_cast<std::ptrdiff_t>(size_ % kBlock), last.rest_.end(), '\0');
  last.mix_block(last.rest_.data());
  std::uint64_t value = mix(size_);
  for (const std::uint64_t lane : last.lanes_) value = mix(value, lane);
  return value;
}

std::uint64_t hash_of(std::string_view bytes) {
  Hasher hasher;
  hasher.add(bytes);
  return hasher.value();
}

}  // namespace dragoman
