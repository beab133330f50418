#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

namespace dragoman {

// An anonymous temporary file that is deleted with this object: written sequentially, then read back.
class ScratchFile {
 public:
  // An empty `folder` means the system's temporary folder (TMPDIR).
  explicit ScratchFile(const std::string& folder);

  void write(const void* bytes, std::size_t size);
  // Moves to the beginning: the next read returns the first bytes.
  void rewind();
  // False at the end of the file.
  bool read(void* bytes, std::size_t size);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace dragoman
