#include "store/safetensors.h"

#include <algorithm>
#include <utility>

#include "base/bounded_json.h"
#include "base/quote.h"
#include "store/checksum.h"

namespace dragoman::store {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kLongestHeader = 100'000'000;  // as in the format's own library
constexpr std::size_t kLengthBytes = 8;

std::uint64_t size_of_stored(const std::string& type) {
  static const std::map<std::string, std::uint64_t> sizes = {{"F64", 8},  {"I64", 8}, {"F32", 4}, {"I32", 4},
                                                             {"BF16", 2}, {"F16", 2}, {"I16", 2}, {"I8", 1},
                                                             {"U8", 1},   {"BOOL", 1}};
  const auto found = sizes.find(type);
  check(found != sizes.end(), "the element type '{}' is unknown", excerpt(type));
  return found->second;
}

// Numbers of bytes or elements: JSON may also hold fractions and negative numbers.
std::vector<Size> read_sizes(const json& list) {
  std::vector<Size> sizes;
  for (const json& size : list) {
    check(size.is_number_unsigned() && std::in_range<Size>(size.get<std::uint64_t>()), "its header is damaged");
    sizes.push_back(size.get<Size>());
  }
  return sizes;
}

TensorRecord read_record(const std::string& name, const json& entry, std::uint64_t data_size) {
  TensorRecord tensor{name, entry.at("dtype"), read_sizes(entry.at("shape"))};
  const std::vector<Size> place = read_sizes(entry.at("data_offsets"));
  check(place.size() == 2 && place[0] <= place[1] && static_cast<std::uint64_t>(place[1]) <= data_size,
        "the tensor '{}' extends beyond the file: the file is truncated or damaged", excerpt(name));
  tensor.begin = static_cast<std::uint64_t>(place[0]);
  tensor.size = static_cast<std::uint64_t>(place[1] - place[0]);
  std::uint64_t count = 1;
  for (const Size size : tensor.shape) {
    check(size == 0 || count <= data_size / static_cast<std::uint64_t>(size), "the tensor '{}' has an invalid shape",
          excerpt(name));
    count *= static_cast<std::uint64_t>(size);
  }
  check(count * size_of_stored(tensor.type) == tensor.size,
        "the tensor '{}' has {} bytes, which does not fit its shape", excerpt(name), tensor.size);
  return tensor;
}

// Sorts the tensors by their places, which must follow each other up to the end.
void check_places(std::vector<TensorRecord>& tensors, std::uint64_t data_size) {
  std::sort(tensors.begin(), tensors.end(), comes_first);
  std::uint64_t end = 0;
  for (const TensorRecord& tensor : tensors) {
    check(tensor.begin == end, "the tensor '{}' {}: the file is damaged", excerpt(tensor.name),
          tensor.begin < end ? "overlaps another one" : "follows bytes that belong to no tensor");
    end += tensor.size;
  }
  check(end == data_size, "its last {} bytes belong to no tensor", data_size - end);
}

}  // namespace

const char* stored_type(DType type) {
  switch (type) {
    case DType::f32: return "F32";
    case DType::f64: return "F64";
    case DType::bf16: return "BF16";
    case DType::i32: return "I32";
    case DType::i8: return "I8";
  }
  return "";
}

std::string header_of(const Metadata& metadata, const std::vector<TensorRecord>& tensors) {
  ordered_json header;
  header["__metadata__"] = metadata;
  for (const TensorRecord& tensor : tensors)
    header[tensor.name] = {
        {"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {tensor.begin, tensor.begin + tensor.size}}};
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // aligns the data
  std::string length(kLengthBytes, '\0');
  for (std::size_t i = 0; i < kLengthBytes; ++i) length[i] = static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return length + text;
}

void write_safetensors(const std::string& path, const Metadata& metadata, const std::vector<StoredTensor>& tensors) {
  std::vector<TensorRecord> records;
  std::uint64_t at = 0;
  for (const StoredTensor& tensor : tensors) {
    records.push_back({tensor.name, tensor.type, tensor.shape, at, tensor.bytes.size()});
    at += tensor.bytes.size();
  }
  Metadata checked = metadata;
  checked[kChecksum] = checksum_of(metadata, tensors);
  AtomicFile file(path);
  file.write(header_of(checked, records));
  for (const StoredTensor& tensor : tensors) file.write(tensor.bytes);
  file.commit();
}

SafetensorsFile::SafetensorsFile(const std::string& path) : file_(path) {
  try {
    read_header();
  } catch (const json::exception&) {
    fail("{}: is not a readable model file: its header is damaged", path);
  } catch (const Error& error) {
    fail("{}: is not a readable model file: {}", path, error.what());
  }
  for (const TensorRecord& tensor : tensors_) by_name_.emplace(tensor.name, &tensor);
}

void SafetensorsFile::read_header() {
  check(file_.size() >= kLengthBytes, "it has only {} bytes", file_.size());
  std::string start(std::min<std::size_t>(kLengthBytes + 1, file_.size()), '\0');
  file_.read(0, start.data(), start.size());
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(start[i]);
  check(length <= kLongestHeader && start.ends_with('{'), "it does not start like a safetensors file");
  data_ = kLengthBytes + length;
  check(data_ <= file_.size(), "it is truncated within its header");
  std::string text(static_cast<std::size_t>(length), '\0');
  file_.read(kLengthBytes, text.data(), text.size());
  json header = parse_json(text, "its header");
  const JsonReleaser releaser(header);
  const std::uint64_t data_size = file_.size() - data_;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__")
      metadata_ = entry.get<Metadata>();
    else
      tensors_.push_back(read_record(name, entry, data_size));
  }
  check_places(tensors_, data_size);
}

const TensorRecord* SafetensorsFile::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

void SafetensorsFile::read(const TensorRecord& tensor, std::uint64_t begin, char* to, std::size_t count) const {
  file_.read(data_ + tensor.begin + begin, to, count);
}

std::string SafetensorsFile::read(const TensorRecord& tensor) const {
  std::string bytes(static_cast<std::size_t>(tensor.size), '\0');
  read(tensor, 0, bytes.data(), bytes.size());
  return bytes;
}

std::map<std::string, std::string> SafetensorsFile::read_all() const {
  std::map<std::string, std::string> all;
  CheckedReading reading(*this);
  for (const TensorRecord& tensor : tensors_) {
    std::string& bytes = all[tensor.name];
    bytes.resize(static_cast<std::size_t>(tensor.size));
    reading.read(tensor, bytes.data());
  }
  reading.finish();
  return all;
}

bool SafetensorsFile::verify() const {
  CheckedReading reading(*this);
  for (const TensorRecord& tensor : tensors_) reading.skip(tensor);
  reading.finish();
  return metadata_.contains(kChecksum);
}

}  // namespace dragoman::store
