#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.h"

namespace dragoman::exchange {

// A number as bytes, least significant byte first.
template <class T>
std::string bytes_of(T value) {
  static_assert(std::is_arithmetic_v<T>);
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// Reads numbers from bytes, least significant byte first, and says if there are not enough.
class ByteReader {
 public:
  // Errors begin with `where`.
  ByteReader(std::string_view bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  std::string_view take(std::uint64_t count) {
    check(count <= left(), "{}: expected {} more bytes but there are {}; the file is truncated or damaged", where_,
          count, left());
    const std::string_view part = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += part.size();
    return part;
  }
  template <class T>
  T number() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::uint8_t byte() { return number<std::uint8_t>(); }
  // Bytes that were taken already.
  std::string_view between(std::size_t begin, std::size_t end) const { return bytes_.substr(begin, end - begin); }

 private:
  std::string_view bytes_, where_;
  std::size_t at_ = 0;
};

}  // namespace dragoman::exchange
