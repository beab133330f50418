#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

namespace dragoman::smt {

// A temporary file that has no name and vanishes with this object: written from front to end, then read.
class ScratchFile {
 public:
  // `folder` empty: the system's folder for temporary files (TMPDIR).
  explicit ScratchFile(const std::string& folder);

  void write(const void* bytes, std::size_t size);
  // The next read starts at the front.
  void rewind();
  // False at the end of the file.
  bool read(void* bytes, std::size_t size);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace dragoman::smt
