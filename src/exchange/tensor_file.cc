#include "exchange/tensor_file.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/quote.h"
#include "store/stored_weights.h"

namespace dragoman::exchange {
namespace {

constexpr Size kMostElements = Size{1} << 40;

template <class From>
std::vector<float> converted(std::string_view bytes, Size count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    From number;
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    values[i] = static_cast<float>(number);
  }
  return values;
}

}  // namespace

Size count_elements(const std::vector<Size>& shape, std::string_view name) {
  Size count = 1;
  for (const Size size : shape) {
    check(size >= 0 && (size == 0 || count <= kMostElements / size), "the tensor '{}' has an impossible shape",
          excerpt(name));
    count *= size;
  }
  return count;
}

std::size_t bytes_of_type(std::string_view type) {
  if (type == "F64" || type == "I64") return 8;
  if (type == "F32" || type == "I32") return 4;
  if (type == "F16" || type == "BF16" || type == "I16") return 2;
  if (type == "I8" || type == "U8" || type == "BOOL") return 1;
  return 0;
}

std::vector<float> as_floats(std::string_view type, std::string_view bytes, Size count, std::string_view name) {
  const std::size_t width = bytes_of_type(type);
  check(width > 0, "the tensor '{}' has numbers of type {}, which is not supported", excerpt(name), excerpt(type));
  check(bytes.size() / width == static_cast<std::size_t>(count) && bytes.size() % width == 0,
        "the tensor '{}' has {} bytes, but {} numbers of type {} were expected", excerpt(name), bytes.size(), count,
        type);
  if (type == "F64") return converted<double>(bytes, count);
  if (type == "I64") return converted<std::int64_t>(bytes, count);
  if (type == "I32") return converted<std::int32_t>(bytes, count);
  if (type == "I16") return converted<std::int16_t>(bytes, count);
  if (type == "I8") return converted<std::int8_t>(bytes, count);
  if (type == "U8" || type == "BOOL") return converted<std::uint8_t>(bytes, count);
  std::vector<float> values(static_cast<std::size_t>(count));
  store::widen({std::string(name), std::string(type), {count}}, bytes, {}, values.data());
  return values;
}

const TensorFile::Entry* TensorFile::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

std::vector<float> TensorFile::read(const std::string& name) const {
  const auto found = by_name_.find(name);
  check(found != by_name_.end(), "{}: the tensor '{}' is missing", path_, name);
  try {
    return read_entry(found->second);
  } catch (const Error& error) {
    fail("{}: {}", path_, error.what());
  }
}

void TensorFile::add(std::string name, std::vector<Size> shape) {
  count_elements(shape, name);
  check(by_name_.emplace(name, entries_.size()).second, "{}: there are two tensors named '{}'", path_, excerpt(name));
  entries_.push_back({std::move(name), std::move(shape)});
}

}  // namespace dragoman::exchange
