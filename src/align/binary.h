#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "data/hash.h"

// Numbers, texts and lists in a file: a line that names the kind, the values one after the other in this machine's byte
// order (little-endian on all we build for), and a checksum.
namespace dragoman::align {

class BinaryWriter {
 public:
  BinaryWriter(const std::string& path, std::string_view kind) : file_(path) { put(kind); }

  template <class T>
  void value(T value) {
    static_assert(std::is_arithmetic_v<T>);
    put({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void text(std::string_view text) {
    value(std::uint64_t{text.size()});
    put(text);
  }
  template <class T>
  void list(const std::vector<T>& values) {
    static_assert(std::is_arithmetic_v<T>);
    value(std::uint64_t{values.size()});
    put({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }
  void texts(const std::vector<std::string>& texts) {
    value(std::uint64_t{texts.size()});
    for (const std::string& one : texts) text(one);
  }
  void commit() {
    const std::uint64_t hash = hasher_.value();
    file_.write({reinterpret_cast<const char*>(&hash), sizeof hash});
    file_.commit();
  }

 private:
  void put(std::string_view bytes) {
    hasher_.add(bytes);
    file_.write(bytes);
  }

  AtomicFile file_;
  data::Hasher hasher_;
};

// Reads what BinaryWriter wrote. A file of another kind, a cut or a changed one is refused at once.
class BinaryReader {
 public:
  BinaryReader(const std::string& path, std::string_view kind) : path_(path), file_(path), rest_(file_.bytes()) {
    check(rest_.starts_with(kind), "{}: expected a file that starts with '{}'", path, kind.substr(0, kind.size() - 1));
    std::uint64_t stored = 0;
    check(rest_.size() >= kind.size() + sizeof stored, "{}: the file is cut short after {} bytes", path, rest_.size());
    std::memcpy(&stored, rest_.data() + rest_.size() - sizeof stored, sizeof stored);
    rest_.remove_suffix(sizeof stored);
    check(data::hash_of(rest_) == stored, "{}: the file is damaged or cut short: its checksum does not fit", path);
    rest_.remove_prefix(kind.size());
  }

  template <class T>
  T value() {
    T result;
    std::memcpy(&result, take(1, sizeof result).data(), sizeof result);
    return result;
  }
  std::string text() { return std::string(take(value<std::uint64_t>(), 1)); }
  template <class T>
  std::vector<T> list() {
    const auto count = value<std::uint64_t>();
    const std::string_view bytes = take(count, sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<std::string> texts() {
    const auto count = value<std::uint64_t>();
    std::vector<std::string> result;
    for (std::uint64_t i = 0; i < count; ++i) result.push_back(text());
    return result;
  }
  void expect_end() const { check(rest_.empty(), "{}: {} bytes more than expected", path_, rest_.size()); }
  const std::string& path() const { return path_; }

 private:
  std::string_view take(std::uint64_t count, std::size_t size) {
    check(count <= rest_.size() / size, "{}: the file ends inside a list of {}", path_, count);
    const std::string_view bytes = rest_.substr(0, count * size);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  std::string path_;
  MappedFile file_;
  std::string_view rest_;
};

}  // namespace dragoman::align
