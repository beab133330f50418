#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "tensor/tensor.h"

// The safetensors format: the length of the header in 8 bytes, a JSON header (name -> type, shape, offsets), then the
// bytes of all tensors. Any program that reads the format can open these files.
namespace dragoman::store {

// A tensor to write. `type` is the format's name for it: F32, F64, BF16, I32, I8, U8.
struct StoredTensor {
  std::string name, type;
  std::vector<Size> shape;
  std::string_view bytes;
};

const char* stored_type(DType type);

using Metadata = std::map<std::string, std::string>;

// A tensor in a file.
struct TensorRecord {
  std::string name, type;
  std::vector<Size> shape;
  std::uint64_t begin = 0, size = 0;  // bytes, from the end of the header
};

// The beginning of a file with these tensors, up to their bytes.
std::string header_of(const Metadata& metadata, const std::vector<TensorRecord>& tensors);

// Writes the tensors in the given order, atomically. Adds a checksum to the metadata (store/checksum.h).
void write_safetensors(const std::string& path, const Metadata& metadata, const std::vector<StoredTensor>& tensors);

// Whether the bytes of a file have been compared with its checksum.
enum class Verified { no, yes };

// An open file. The constructor reads and checks the header only: types and sizes fit the shapes, and the tensors fill
// the rest of the file without gaps or overlaps. Files are read, not mapped: a file that another program truncates
// meanwhile is an Error instead of a signal, which a library must not handle.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const Metadata& metadata() const { return metadata_; }
  // In the order of the file.
  const std::vector<TensorRecord>& tensors() const { return tensors_; }
  const TensorRecord* find(const std::string& name) const;
  // Where the bytes of a tensor begin in the file.
  std::uint64_t place_of(const TensorRecord& tensor) const { return data_ + tensor.begin; }

  // Reads a part of a tensor.
  void read(const TensorRecord& tensor, std::uint64_t begin, char* to, std::size_t count) const;
  // Reads one tensor without checking it, such as a vocabulary of a model that is only described.
  std::string read(const TensorRecord& tensor) const;
  // Reads all tensors and checks them as CheckedReading does.
  std::map<std::string, std::string> read_all() const;
  // The same without keeping them. Returns false if the file has no checksum.
  bool verify() const;

 private:
  void read_header();

  InputFile file_;
  std::uint64_t data_ = 0;  // where the bytes of the tensors start
  Metadata metadata_;
  std::vector<TensorRecord> tensors_;
  std::unordered_map<std::string_view, const TensorRecord*> by_name_;
};

}  // namespace dragoman::store
