#pragma once

#include <cstring>
#include <string>

#include "base/hash.h"

// Makes the checksums of a changed file right again, so that tests and fuzz targets reach the checks behind them.
namespace dragoman::support {

template <class T>
void set_at(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Of a file with a checksum at its end (base/checked_file.h).
inline void repair_checked_file(std::string& bytes) {
  constexpr std::size_t kHash = 8;
  if (bytes.size() < kHash) return;
  set_at(bytes, bytes.size() - kHash, hash_of(std::string_view(bytes).substr(0, bytes.size() - kHash)));
}

// Of a token store: its key, its size and both checksums (the header in data/token_store.cc).
inline void repair_token_store(std::string& bytes, std::uint64_t key) {
  constexpr std::size_t kKey = 16, kFileBytes = 64, kBodyHash = 80, kHeaderHash = 88, kHeader = 96;
  if (bytes.size() < kHeader) return;
  set_at(bytes, kKey, key);
  set_at(bytes, kFileBytes, std::uint64_t{bytes.size()});
  set_at(bytes, kBodyHash, hash_of(std::string_view(bytes).substr(kHeader)));
  set_at(bytes, kHeaderHash, hash_of(std::string_view(bytes).substr(0, kHeaderHash)));
}

}  // namespace dragoman::support
