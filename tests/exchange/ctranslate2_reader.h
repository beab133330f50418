#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace dragoman::exchange {

// Reads model.bin of CTranslate2 as its loader does, written from the description of the format and not from the
// writer.
class CTranslate2Variables {
 public:
  explicit CTranslate2Variables(const std::string& path) : bytes_(read_file(path)) {
    check(take<std::uint32_t>() == 6, "another version");
    specification_ = name();
    revision_ = take<std::uint32_t>();
    for (auto left = take<std::uint32_t>(); left > 0; --left) {
      const std::string of = name();
      Variable& variable = variables_[of];
      variable.shape.resize(take<std::uint8_t>());
      for (std::uint32_t& size : variable.shape) size = take<std::uint32_t>();
      variable.type = take<std::uint8_t>();
      const auto count = take<std::uint32_t>();
      variable.bytes = bytes_.substr(at_, count);
      at_ += count;
      std::size_t expected = variable.type == 0 || variable.type == 3 ? 4 : variable.type;
      for (const std::uint32_t size : variable.shape) expected *= size;
      check(variable.bytes.size() == expected, "{} has {} bytes", of, variable.bytes.size());
    }
    for (auto left = take<std::uint32_t>(); left > 0; --left) {
      const std::string of = name();
      aliases_[of] = name();
      check(variables_.contains(aliases_[of]) && !variables_.contains(of), "{} is not an alias", of);
    }
    check(at_ == bytes_.size(), "{} bytes follow", bytes_.size() - at_);
  }

  const std::string& specification() const { return specification_; }
  std::uint32_t revision() const { return revision_; }
  bool has(const std::string& name) const { return variables_.contains(name) || aliases_.contains(name); }
  const std::string& alias(const std::string& name) const { return aliases_.at(name); }
  const std::vector<std::uint32_t>& shape(const std::string& name) const { return variables_.at(name).shape; }
  std::vector<float> floats(const std::string& name) const {
    const Variable& variable = variables_.at(name);
    check(variable.type == 0, "{} is not float32", name);
    std::vector<float> numbers(variable.bytes.size() / sizeof(float));
    std::memcpy(numbers.data(), variable.bytes.data(), variable.bytes.size());
    return numbers;
  }
  // A scalar of 1, 2 or 4 bytes.
  int number(const std::string& name) const {
    const Variable& variable = variables_.at(name);
    check(variable.shape.empty() && variable.type > 0, "{} is not an integer", name);
    if (variable.type == 1) return scalar<std::int8_t>(variable);
    return variable.type == 2 ? scalar<std::int16_t>(variable) : scalar<std::int32_t>(variable);
  }

 private:
  struct Variable {
    std::vector<std::uint32_t> shape;
    int type = 0;
    std::string bytes;
  };

  template <class T>
  T take() {
    check(at_ + sizeof(T) <= bytes_.size(), "the file is too short");
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::string name() {
    const auto count = take<std::uint16_t>();
    check(count > 0 && at_ + count <= bytes_.size() && bytes_[at_ + count - 1] == '\0', "a name has no end");
    at_ += count;
    return bytes_.substr(at_ - count, count - 1u);
  }
  template <class T>
  static T scalar(const Variable& variable) {
    T value;
    std::memcpy(&value, variable.bytes.data(), sizeof(T));
    return value;
  }

  std::string bytes_, specification_;
  std::size_t at_ = 0;
  std::uint32_t revision_ = 0;
  std::map<std::string, Variable> variables_;
  std::map<std::string, std::string> aliases_;
};

}  // namespace dragoman::exchange
