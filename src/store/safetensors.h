#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "tensor/tensor.h"

// The safetensors format: the length of the header in 8 bytes, a JSON header (name -> type, shape, offsets), then the
// bytes of all tensors. Any program that reads the format can open these files.
namespace dragoman::store {

// A tensor in a file. `type` is the format's name for it: F32, F64, BF16, I32, I8, U8.
struct StoredTensor {
  std::string name, type;
  std::vector<Size> shape;
  std::string_view bytes;
};

const char* stored_type(DType type);

using Metadata = std::map<std::string, std::string>;

// Writes the tensors in the given order, atomically. Adds a checksum of metadata and data to the metadata.
void write_safetensors(const std::string& path, const Metadata& metadata, const std::vector<StoredTensor>& tensors);

// A memory-mapped file. The constructor checks the whole header.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path);

  const std::string& path() const { return path_; }
  const Metadata& metadata() const { return metadata_; }
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find(const std::string& name) const;
  // Reads the whole file and throws unless the checksum matches. Files of other programs have no checksum and pass.
  void verify() const;

 private:
  std::string path_;
  MappedFile file_;
  Metadata metadata_;
  std::vector<StoredTensor> tensors_;
  std::string_view data_;
};

}  // namespace dragoman::store
