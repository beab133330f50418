#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace dragoman {

// SHA-256 (FIPS 180-4), for checking files against published checksums.
class Sha256 {
 public:
  void add(std::string_view bytes);
  // 64 hexadecimal digits in lower case; further bytes may be added afterwards.
  std::string hex() const;

 private:
  static constexpr std::size_t kBlock = 64;
  void mix_block(const char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<char, kBlock> rest_{};
  std::uint64_t size_ = 0;
};

std::string sha256_of(std::string_view bytes);
// The checksum of a file. Calls advance(bytes) as it goes on, for a progress bar.
std::string sha256_of_file(const std::string& path, const std::function<void(std::int64_t)>& advance = {});

}  // namespace dragoman
