#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

namespace dragoman {

// An anonymous temporary file, written sequentially and then read back. It is deleted with this object.
class ScratchFile {
 public:
  // An empty `folder` means the system's temporary folder (TMPDIR).
  explicit ScratchFile(const std::string& folder);

  void write(const void* bytes, std::size_t size);
  // Moves to the beginning of the file.
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
