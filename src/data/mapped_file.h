#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::data {

// A file's bytes as memory, read-only and shared with every process that maps it. The bytes stay valid when the file
// is renamed over or removed.
class MappedFile {
 public:
  // Throws when the file cannot be opened; an empty file is an empty view.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dragoman::data
