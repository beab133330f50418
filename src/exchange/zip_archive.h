#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"

namespace dragoman::exchange {

// A zip archive, as PyTorch and NumPy write them: entries that are stored or deflated, also of more than 4 GiB (zip64).
// The constructor reads and checks the directory only.
class ZipArchive {
 public:
  struct Entry {
    std::string name;
    std::uint64_t begin = 0;  // of the entry's header in the file
    std::uint64_t packed = 0, size = 0;
    std::uint32_t checksum = 0;
    bool deflated = false;
  };

  explicit ZipArchive(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(const std::string& name) const;
  // The content of an entry. Throws Error if it does not have its checksum.
  std::string read(const Entry& entry) const;

  // Whether the file begins as an archive does.
  static bool is_archive(const InputFile& file);

 private:
  struct Directory {
    std::uint64_t entries = 0, size = 0, begin = 0;
  };
  Directory find_directory() const;
  void read_directory(const Directory& directory);
  std::string bytes(std::uint64_t begin, std::uint64_t count) const;

  InputFile file_;
  std::vector<Entry> entries_;
};

}  // namespace dragoman::exchange
