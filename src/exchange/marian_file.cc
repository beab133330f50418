#include "exchange/marian_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "exchange/little_endian.h"

namespace dragoman::exchange {
namespace {

constexpr std::uint64_t kMarianVersion = 1;
constexpr std::uint64_t kMostMarianTensors = 100'000, kLongestTensorName = 1000, kMostTensorAxes = 8;
// Names and shapes; a hundred bytes per tensor.
constexpr std::uint64_t kLargestHeader = std::uint64_t{1} << 26;
constexpr std::uint64_t kIntgemm8 = 0x4101;

const char* type_numbered(std::uint64_t type) {
  switch (type) {
    case 0x101: return "I8";
    case 0x102: return "I16";
    case 0x104: return "I32";
    case 0x108: return "I64";
    case 0x201: return "U8";
    case 0x402: return "F16";
    case 0x404: return "F32";
    case 0x408: return "F64";
    default: return nullptr;
  }
}

class MarianFile final : public TensorFile {
 public:
  explicit MarianFile(const std::string& path) : TensorFile(path), file_(path) { read_headers(); }

 private:
  struct Header {
    std::uint64_t name, type, axes, bytes;
  };
  struct Place {
    std::uint64_t type = 0, begin = 0, bytes = 0;
  };

  // Version and number of tensors, the headers of all, their names, their shapes, and a gap before their bytes.
  void read_headers() {
    std::string bytes(static_cast<std::size_t>(std::min(file_.size(), kLargestHeader)), '\0');
    file_.read(0, bytes.data(), bytes.size());
    ByteReader reader(bytes, path());
    const auto version = reader.number<std::uint64_t>(), count = reader.number<std::uint64_t>();
    check(version == kMarianVersion, "{}: is not a binary model of Marian, or it is encrypted", path());
    check(count <= kMostMarianTensors, "{}: a model of {} tensors is not one of Marian", path(), count);
    std::vector<Header> headers;
    for (std::uint64_t i = 0; i < count; ++i) headers.push_back(reader.number<Header>());
    std::vector<std::string> names;
    for (const Header& header : headers) {
      check(header.name >= 1 && header.name <= kLongestTensorName && header.axes <= kMostTensorAxes,
            "{}: the file is damaged", path());
      names.emplace_back(reader.take(header.name));
      names.back().pop_back();  // the zero that ends it
    }
    for (std::size_t i = 0; i < headers.size(); ++i) {
      std::vector<Size> shape;
      for (std::uint64_t axis = 0; axis < headers[i].axes; ++axis) shape.push_back(reader.number<std::int32_t>());
      add(names[i], shape);
    }
    const auto gap = reader.number<std::uint64_t>();
    std::uint64_t begin = reader.at();
    check(gap <= file_.size() - begin, "{}: the file is truncated", path());
    begin += gap;
    for (const Header& header : headers) {
      check(header.bytes <= file_.size() - begin, "{}: the file is truncated", path());
      places_.push_back({header.type, begin, header.bytes});
      begin += header.bytes;
    }
  }

  std::vector<float> read_entry(std::size_t index) const override {
    const Place& place = places_[index];
    const std::string& name = entries()[index].name;
    std::string bytes(static_cast<std::size_t>(place.bytes), '\0');
    file_.read(place.begin, bytes.data(), bytes.size());
    const Size count = count_elements(entries()[index].shape, name);
    if (place.type == kIntgemm8) return from_intgemm(bytes, index, count);
    const char* const type = type_numbered(place.type);
    check(type != nullptr, "the tensor '{}' has numbers of type {:#x}, which is not supported", excerpt(name),
          place.type);
    const std::size_t needed = static_cast<std::size_t>(count) * bytes_of_type(type);  // more is padding
    check(needed <= bytes.size(), "the tensor '{}' has {} bytes, fewer than its shape needs", excerpt(name),
          bytes.size());
    return as_floats(type, std::string_view(bytes).substr(0, needed), count, name);
  }

  // Numbers times a factor, which follows them. All but word vectors are transposed.
  std::vector<float> from_intgemm(std::string_view bytes, std::size_t index, Size count) const {
    const Entry& entry = entries()[index];
    check(entry.shape.size() == 2 && bytes.size() >= static_cast<std::size_t>(count) + sizeof(float),
          "the matrix '{}' of 8 bits is damaged", excerpt(entry.name));
    float factor = 0;
    std::memcpy(&factor, bytes.data() + count, sizeof factor);
    check(std::isfinite(factor) && factor > 0, "the matrix '{}' of 8 bits has no factor", excerpt(entry.name));
    const std::vector<float> numbers =
        as_floats("I8", bytes.substr(0, static_cast<std::size_t>(count)), count, entry.name);
    const bool transposed = entry.name.find("Wemb") == std::string::npos;
    const auto rows = static_cast<std::size_t>(entry.shape[0]), cols = static_cast<std::size_t>(entry.shape[1]);
    std::vector<float> values(numbers.size());
    if (values.empty()) return values;  // a matrix without columns may claim any number of rows
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < cols; ++c)
        values[r * cols + c] = numbers[transposed ? c * rows + r : r * cols + c] / factor;
    return values;
  }

  InputFile file_;
  std::vector<Place> places_;
};

}  // namespace

std::unique_ptr<TensorFile> open_marian(const std::string& path) { return std::make_unique<MarianFile>(path); }

}  // namespace dragoman::exchange
