#include "exchange/npz_file.h"

#include "base/error.h"
#include "base/quote.h"
#include "exchange/little_endian.h"
#include "exchange/zip_archive.h"

namespace dragoman::exchange {
namespace {

constexpr std::string_view kArrayMagic = "\x93NUMPY", kEnding = ".npy";

// The description of an array: a Python dictionary with the keys descr, fortran_order and shape.
struct Header {
  std::string type;  // as safetensors names it
  std::vector<Size> shape;
};

std::string_view value_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  check(at != std::string_view::npos, "its header has no {}", key);
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(" :"), text.size()));
  return text;
}

std::string type_named(std::string_view name) {
  constexpr std::pair<std::string_view, const char*> kTypes[] = {{"<f8", "F64"}, {"<f4", "F32"}, {"<f2", "F16"},
                                                                 {"<i8", "I64"}, {"<i4", "I32"}, {"<i2", "I16"},
                                                                 {"|i1", "I8"},  {"|u1", "U8"},  {"|b1", "BOOL"}};
  for (const auto& [numpy, type] : kTypes)
    if (name == numpy) return type;
  fail("its numbers have the type '{}', which is not supported", excerpt(name));
}

Header parse(std::string_view text) {
  Header header;
  const std::string_view type = value_after(text, "'descr'");
  check(type.size() > 4 && type[0] == '\'' && type[4] == '\'', "its header names no type of numbers");
  header.type = type_named(type.substr(1, 3));
  check(value_after(text, "'fortran_order'").starts_with("False"), "its columns are stored before its rows");
  std::string_view shape = value_after(text, "'shape'");
  check(shape.starts_with('('), "its header has no shape");
  shape = shape.substr(1, std::min(shape.find(')'), shape.size()) - 1);
  constexpr std::size_t kMostAxes = 8, kMostDigits = 15;
  while (!shape.empty()) {
    const std::size_t comma = std::min(shape.find(','), shape.size());
    Size size = 0;
    std::size_t digits = 0;
    for (const char c : shape.substr(0, comma)) {
      if (c == ' ') continue;
      check(c >= '0' && c <= '9' && ++digits <= kMostDigits, "its shape is not a list of numbers");
      size = 10 * size + (c - '0');
    }
    if (digits > 0) header.shape.push_back(size);
    check(header.shape.size() <= kMostAxes, "it has more than {} dimensions", kMostAxes);
    shape.remove_prefix(std::min(comma + 1, shape.size()));
  }
  return header;
}

// The header and the numbers of a .npy file.
std::pair<Header, std::string_view> split(std::string_view bytes, std::string_view name) {
  ByteReader reader(bytes, name);
  check(reader.take(kArrayMagic.size()) == kArrayMagic, "is not an array of NumPy");
  const int version = reader.byte();
  reader.byte();
  const std::uint64_t length = version == 1 ? reader.number<std::uint16_t>() : reader.number<std::uint32_t>();
  const Header header = parse(reader.take(length));
  return {header, reader.take(reader.left())};
}

class NpzFile final : public TensorFile {
 public:
  explicit NpzFile(const std::string& path) : TensorFile(path), archive_(path) {
    for (const ZipArchive::Entry& entry : archive_.entries()) {
      if (!entry.name.ends_with(kEnding)) continue;
      const std::string name = entry.name.substr(0, entry.name.size() - kEnding.size());
      try {
        add(name, split(archive_.read(entry), name).first.shape);
      } catch (const Error& error) {
        fail("{}: the array '{}': {}", path, excerpt(name), error.what());
      }
      arrays_.push_back(&entry);
    }
    check(!arrays_.empty(), "{}: is a zip archive, but contains no arrays of NumPy", path);
  }

 private:
  std::vector<float> read_entry(std::size_t index) const override {
    const std::string bytes = archive_.read(*arrays_[index]);
    const auto [header, numbers] = split(bytes, entries()[index].name);
    return as_floats(header.type, numbers, count_elements(header.shape, entries()[index].name), entries()[index].name);
  }

  ZipArchive archive_;
  std::vector<const ZipArchive::Entry*> arrays_;
};

}  // namespace

std::unique_ptr<TensorFile> open_npz(const std::string& path) { return std::make_unique<NpzFile>(path); }

}  // namespace dragoman::exchange
