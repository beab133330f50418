#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "tensor/tensor.h"

// The safetensors format: 8 bytes of length, a JSON header (name -> type, shape, place), then the bytes of all tensors
// in a row. Any program that reads the format opens our files.
namespace dragoman::store {

// A tensor in a file. `type` is the format's own word: F32, F64, BF16, I32, I8, U8.
struct StoredTensor {
  std::string name, type;
  std::vector<Size> shape;
  std::string_view bytes;
};

const char* stored_type(DType type);

using Metadata = std::map<std::string, std::string>;

// Tensors are written in the given order; appears whole or not at all. A checksum of metadata and data joins the
// metadata.
void write_safetensors(const std::string& path, const Metadata& metadata, const std::vector<StoredTensor>& tensors);

// A file mapped into memory. Everything in its header is checked before anything is used.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path);

  const std::string& path() const { return path_; }
  const Metadata& metadata() const { return metadata_; }
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find(const std::string& name) const;
  // Reads everything and fails unless it is what was written; files of other programs have no checksum and pass.
  void verify() const;

 private:
  std::string path_;
  MappedFile file_;
  Metadata metadata_;
  std::vector<StoredTensor> tensors_;
  std::string_view data_;
};

}  // namespace dragoman::store
