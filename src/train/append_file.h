#pragma once

#include <string>
#include <string_view>

namespace dragoman::train {

// A file opened for unbuffered appending: when append() returns, the operating system has the bytes, so a killed
// process loses none of them.
class AppendFile {
 public:
  AppendFile() = default;
  explicit AppendFile(std::string path);
  ~AppendFile();
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;

  bool is_open() const { return descriptor_ >= 0; }
  // Throws Error with the file's name if writing fails, for instance because the disk is full.
  void append(std::string_view bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace dragoman::train
