#include "exchange/ctranslate2_file.h"

#include <limits>

#include "base/error.h"
#include "base/file.h"
#include "exchange/little_endian.h"

namespace dragoman::exchange {
namespace {

constexpr std::uint32_t kBinaryVersion = 6;

// A length that counts the final zero, the characters, zero.
std::string text(const std::string& characters) {
  check(characters.size() < std::numeric_limits<std::uint16_t>::max(), "the name of a variable has {} characters",
        characters.size());
  return bytes_of(static_cast<std::uint16_t>(characters.size() + 1)) + characters + '\0';
}

}  // namespace

void CTranslate2File::add(std::string name, std::vector<Size> shape, std::vector<float> values) {
  variables_.push_back({std::move(name),
                        Type::float32,
                        std::move(shape),
                        {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}});
}

void CTranslate2File::add_flag(std::string name, bool value) { add_int8(std::move(name), value ? 1 : 0); }

void CTranslate2File::add_int8(std::string name, std::int8_t value) {
  variables_.push_back({std::move(name), Type::int8, {}, bytes_of(value)});
}

void CTranslate2File::add_int16(std::string name, std::int16_t value) {
  variables_.push_back({std::move(name), Type::int16, {}, bytes_of(value)});
}

void CTranslate2File::add_int32(std::string name, std::int32_t value) {
  variables_.push_back({std::move(name), Type::int32, {}, bytes_of(value)});
}

void CTranslate2File::add_float(std::string name, float value) {
  variables_.push_back({std::move(name), Type::float32, {}, bytes_of(value)});
}

void CTranslate2File::write(const std::string& path) const {
  AtomicFile file(path);
  file.write(bytes_of(kBinaryVersion) + text(specification_) + bytes_of(revision_) +
             bytes_of(static_cast<std::uint32_t>(variables_.size())));
  for (const Variable& variable : variables_) {
    check(variable.bytes.size() <= std::numeric_limits<std::uint32_t>::max(),
          "{}: the variable '{}' has {} bytes; the format takes at most 4 GiB", path, variable.name,
          variable.bytes.size());
    std::string head = text(variable.name) + bytes_of(static_cast<std::uint8_t>(variable.shape.size()));
    for (const Size size : variable.shape) head += bytes_of(static_cast<std::uint32_t>(size));
    head += bytes_of(static_cast<std::uint8_t>(variable.type));
    file.write(head + bytes_of(static_cast<std::uint32_t>(variable.bytes.size())));
    file.write(variable.bytes);
  }
  file.write(bytes_of(static_cast<std::uint32_t>(aliases_.size())));
  for (const auto& [name, of] : aliases_) file.write(text(name) + text(of));
  file.commit();
}

}  // namespace dragoman::exchange
