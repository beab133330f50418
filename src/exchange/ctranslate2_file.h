#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/shape.h"

namespace dragoman::exchange {

// The file model.bin of CTranslate2, version 6 of the format: named variables with their types and shapes, least
// significant byte first, and aliases of variables.
class CTranslate2File {
 public:
  // `specification` and `revision` name the kind of model.
  CTranslate2File(std::string specification, std::uint32_t revision)
      : specification_(std::move(specification)), revision_(revision) {}

  void add(std::string name, std::vector<Size> shape, std::vector<float> values);
  void add_flag(std::string name, bool value);
  void add_int8(std::string name, std::int8_t value);
  void add_int16(std::string name, std::int16_t value);
  void add_int32(std::string name, std::int32_t value);
  void add_float(std::string name, float value);
  // `name` stands for the variable `of`.
  void alias(std::string name, std::string of) { aliases_.emplace_back(std::move(name), std::move(of)); }

  // Throws Error if a variable has more than 4 GiB.
  void write(const std::string& path) const;

 private:
  enum class Type : std::uint8_t { float32 = 0, int8 = 1, int16 = 2, int32 = 3 };
  struct Variable {
    std::string name;
    Type type;
    std::vector<Size> shape;
    std::string bytes;
  };

  std::string specification_;
  std::uint32_t revision_;
  std::vector<Variable> variables_;
  std::vector<std::pair<std::string, std::string>> aliases_;
};

}  // namespace dragoman::exchange
