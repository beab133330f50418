#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace dragoman {

// Cuts a stream of bytes into blocks, for hashes: calls mix(block) for every complete one. `rest` holds the beginning
// of an incomplete block, and `size` counts all bytes so far.
template <std::size_t kBlock, class Mix>
void add_in_blocks(std::string_view bytes, std::array<char, kBlock>& rest, std::uint64_t& size, Mix mix) {
  const std::size_t held = size % kBlock;
  size += bytes.size();
  if (held > 0) {
    const std::size_t count = bytes.copy(rest.data() + held, kBlock - held);
    bytes.remove_prefix(count);
    if (held + count < kBlock) return;
    mix(rest.data());
  }
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) mix(bytes.data());
  bytes.copy(rest.data(), bytes.size());
}

}  // namespace dragoman
