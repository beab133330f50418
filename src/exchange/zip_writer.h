#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace dragoman::exchange {

// Writes a zip archive of stored entries, with sizes of 64 bits (zip64). The same entries give the same bytes.
class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path) : file_(path) {}

  // The content of an entry is `head` followed by `body`.
  void add(const std::string& name, std::string_view head, std::string_view body);
  // Writes the directory. Without it there is no file.
  void commit();

 private:
  std::string directory_;
  std::uint64_t entries_ = 0;
  AtomicFile file_;
};

}  // namespace dragoman::exchange
