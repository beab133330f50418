#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/random.h"

namespace dragoman {

// A fast 64-bit incremental hash for names of cache files, checksums and detection of duplicates. It is not
// cryptographic. The value does not depend on how the bytes are divided into calls.
class Hasher {
 public:
  void add(std::string_view bytes);
  // The length is hashed first, so that ("ab", "c") and ("a", "bc") differ.
  void add_text(std::string_view text) {
    add_value(std::uint64_t{text.size()});
    add(text);
  }
  template <class T>
  void add_value(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    add({bytes, sizeof value});
  }
  std::uint64_t value() const;

 private:
  static constexpr std::size_t kBlock = 32;
  void mix_block(const char* block);

  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
  std::array<char, kBlock> rest_{};
  std::uint64_t size_ = 0;
};

std::uint64_t hash_of(std::string_view bytes);

}  // namespace dragoman
