#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"

// Serialises values, texts and lists as consecutive bytes in little-endian order, the native order of all supported
// machines.
namespace dragoman {

// Converts values to bytes; the derived class stores them.
class ByteSink {
 public:
  virtual ~ByteSink() = default;

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void put_text(std::string_view text) {
    put(std::uint64_t{text.size()});
    append(text);
  }
  void put_texts(const std::vector<std::string>& texts) {
    put(std::uint64_t{texts.size()});
    for (const std::string& text : texts) put_text(text);
  }
  template <class T>
  void put_array(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(std::uint64_t{values.size()});
    append({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }

 private:
  virtual void append(std::string_view bytes) = 0;
};

class ByteWriter final : public ByteSink {
 public:
  std::string take() { return std::move(bytes_); }

 private:
  void append(std::string_view bytes) override { bytes_.append(bytes); }

  std::string bytes_;
};

// Reads values in the order in which they were written. Every read is bounds-checked; error messages start with `what`.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}

  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view get_text() { return take(get<std::uint64_t>()); }
  std::vector<std::string> get_texts() {
    const auto size = get<std::uint64_t>();
    std::vector<std::string> texts;
    for (std::uint64_t i = 0; i < size; ++i) texts.emplace_back(get_text());
    return texts;
  }
  template <class T>
  std::vector<T> get_array() {
    const auto size = get<std::uint64_t>();
    check(size <= bytes_.size() / sizeof(T), "{}: damaged: a list of {} entries in {} bytes", what_, size,
          bytes_.size());
    std::vector<T> values(size);
    const std::string_view bytes = take(size * sizeof(T));
    if (size > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  void expect_end() const { check(bytes_.empty(), "{}: damaged: {} bytes too many", what_, bytes_.size()); }

 private:
  std::string_view take(std::uint64_t size) {
    check(size <= bytes_.size(), "{}: damaged: {} bytes expected but {} are left", what_, size, bytes_.size());
    const std::string_view front = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return front;
  }

  std::string_view bytes_;
  std::string what_;
};

}  // namespace dragoman
