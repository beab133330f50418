#include "store/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/hash.h"

namespace dragoman::store {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kLongestHeader = 100'000'000;
constexpr const char* kChecksum = "checksum";

void add_metadata(Hasher& hasher, const Metadata& metadata) {
  for (const auto& [key, value] : metadata) {
    if (key == kChecksum) continue;
    hasher.add_text(key);
    hasher.add_text(value);
  }
}

std::string show(const Hasher& hasher) { return fmt::format("{:016x}", hasher.value()); }

Size size_of_stored(const std::string& type) {
  static const std::map<std::string, Size> sizes = {{"F64", 8}, {"I64", 8}, {"F32", 4}, {"I32", 4}, {"BF16", 2},
                                                    {"F16", 2}, {"I16", 2}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}};
  const auto found = sizes.find(type);
  check(found != sizes.end(), "the element type '{}' is unknown", type);
  return found->second;
}

StoredTensor read_entry(const std::string& name, const json& entry, std::string_view data) {
  StoredTensor tensor{name, entry.at("dtype"), entry.at("shape"), {}};
  const std::vector<std::uint64_t> place = entry.at("data_offsets");
  check(place.size() == 2 && place[0] <= place[1] && place[1] <= data.size(),
        "the tensor '{}' extends beyond the file: the file is truncated or damaged", name);
  std::uint64_t count = 1;
  for (const Size size : tensor.shape) {
    check(size >= 0 && (size == 0 || count <= data.size() / static_cast<std::uint64_t>(size)),
          "the tensor '{}' has an invalid shape", name);
    count *= static_cast<std::uint64_t>(size);
  }
  tensor.bytes = data.substr(place[0], place[1] - place[0]);
  check(count * static_cast<std::uint64_t>(size_of_stored(tensor.type)) == tensor.bytes.size(),
        "the tensor '{}' has {} bytes, which does not fit its shape", name, tensor.bytes.size());
  return tensor;
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

void write_safetensors(const std::string& path, const Metadata& metadata, const std::vector<StoredTensor>& tensors) {
  Hasher hasher;
  add_metadata(hasher, metadata);
  for (const StoredTensor& tensor : tensors) hasher.add(tensor.bytes);
  ordered_json header;
  header["__metadata__"] = metadata;
  header["__metadata__"][kChecksum] = show(hasher);
  std::uint64_t at = 0;
  for (const StoredTensor& tensor : tensors) {
    header[tensor.name] = {
        {"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {at, at + tensor.bytes.size()}}};
    at += tensor.bytes.size();
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // aligns the data
  std::string length(8, '\0');
  for (int i = 0; i < 8; ++i) length[static_cast<std::size_t>(i)] = static_cast<char>(text.size() >> (8 * i) & 0xFF);
  AtomicFile file(path);
  file.write(length);
  file.write(text);
  for (const StoredTensor& tensor : tensors) file.write(tensor.bytes);
  file.commit();
}

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path), file_(path) {
  const std::string_view bytes = file_.bytes();
  try {
    check(bytes.size() >= 8, "it has only {} bytes", bytes.size());
    std::uint64_t length = 0;
    for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    check(length <= kLongestHeader && bytes.size() > 8 && bytes[8] == '{', "it does not start like a safetensors file");
    check(length <= bytes.size() - 8, "it is truncated within its header");
    const json header = json::parse(bytes.substr(8, length));
    data_ = bytes.substr(8 + length);
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__")
        metadata_ = entry.get<Metadata>();
      else
        tensors_.push_back(read_entry(name, entry, data_));
    }
  } catch (const json::exception& error) {
    fail("{}: is not a readable model file: its header is damaged", path);
  } catch (const Error& error) {
    fail("{}: is not a readable model file: {}", path, error.what());
  }
}

void SafetensorsFile::verify() const {
  const auto found = metadata_.find(kChecksum);
  if (found == metadata_.end()) return;
  Hasher hasher;
  add_metadata(hasher, metadata_);
  hasher.add(data_);
  check(found->second == show(hasher), "{}: is damaged: its checksum does not match", path_);
}

const StoredTensor* SafetensorsFile::find(const std::string& name) const {
  const auto found = std::find_if(tensors_.begin(), tensors_.end(), [&](const auto& t) { return t.name == name; });
  return found == tensors_.end() ? nullptr : &*found;
}

}  // namespace dragoman::store
