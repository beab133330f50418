#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tensor/shape.h"

namespace dragoman::exchange {

// Tensors of another program's model by name.
class TensorFile {
 public:
  struct Entry {
    std::string name;
    std::vector<Size> shape;
  };

  virtual ~TensorFile() = default;

  const std::string& path() const { return path_; }
  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const;
  // The values of a tensor in row-major order. Throws Error if there is none of this name.
  std::vector<float> read(const std::string& name) const;

 protected:
  explicit TensorFile(std::string path) : path_(std::move(path)) {}
  // Throws Error if there is a tensor of this name or if the shape has more elements than a file can hold.
  void add(std::string name, std::vector<Size> shape);

 private:
  virtual std::vector<float> read_entry(std::size_t index) const = 0;

  std::string path_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

// The number of elements; throws Error if a size is negative or if there are more than 2^40.
Size count_elements(const std::vector<Size>& shape, std::string_view name);

// Numbers of a type that safetensors names (F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL) as floats. Throws Error
// for other types and if the bytes are not `count` numbers.
std::vector<float> as_floats(std::string_view type, std::string_view bytes, Size count, std::string_view name);
// Bytes of a number; 0 for an unknown type.
std::size_t bytes_of_type(std::string_view type);

}  // namespace dragoman::exchange
