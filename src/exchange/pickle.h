#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::exchange {

// A pickle is a program for a stack machine that may call any function of Python. This reader knows the instructions
// and the names that a file of tensors needs, computes values and calls nothing. Any other name is refused, so that a
// file which would run code under Python does not pass unnoticed.
class Pickle {
 public:
  using Index = std::uint32_t;  // of a value
  enum class Kind { none, boolean, integer, number, text, list, dictionary, name, storage, tensor, mark };

  struct Value {
    Kind kind = Kind::none;
    std::int64_t integer = 0;  // also 0 and 1 of a boolean
    std::string text{};        // of a text or a name ("torch.FloatStorage"); the key of a storage
    // A list or tuple; keys and values of a dictionary in turn; of a storage, its type and its number of elements; of a
    // tensor, its storage, offset, shape and strides.
    std::vector<Index> parts{};
  };

  // Reads one pickle from the beginning of `bytes`. Errors begin with `where`.
  Pickle(std::string_view bytes, std::string_view where);

  const Value& top() const { return values_[top_]; }
  const Value& operator[](Index index) const { return values_[index]; }
  // Bytes of the pickle.
  std::size_t size() const { return size_; }

 private:
  friend class PickleMachine;

  std::vector<Value> values_;
  Index top_ = 0;
  std::size_t size_ = 0;
};

// A tensor that a pickle describes.
struct PickledTensor {
  std::string name;
  std::string type;     // of its numbers, as safetensors names it
  std::string storage;  // key of the storage
  std::int64_t storage_elements = 0;
  std::int64_t offset = 0;                   // elements
  std::vector<std::int64_t> shape, strides;  // elements
};

// The tensors of a pickle whose top is a dictionary from names to tensors. Other values are skipped.
std::vector<PickledTensor> pickled_tensors(const Pickle& pickle, std::string_view where);

}  // namespace dragoman::exchange
