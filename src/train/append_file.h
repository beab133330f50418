#pragma once

#include <string>
#include <string_view>

namespace dragoman::train {

// A file opened for appending, without a buffer of its own: when append() returns, the bytes are with the operating
// system, so a killed process loses none of them.
class AppendFile {
 public:
  AppendFile() = default;
  explicit AppendFile(std::string path);
  ~AppendFile();
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;

  bool is_open() const { return descriptor_ >= 0; }
  // Throws an error with the file's name when the disk is full.
  void append(std::string_view bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace dragoman::train
