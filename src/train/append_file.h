#pragma once

#include <string>
#include <string_view>

namespace dragoman::train {

// A file that grows at its end. What was appended is with the system when append() returns, so a killed program
// loses none of it.
class AppendFile {
 public:
  AppendFile() = default;
  explicit AppendFile(std::string path);
  ~AppendFile();
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;

  bool is_open() const { return descriptor_ >= 0; }
  // Fails with the file's name when the disk is full.
  void append(std::string_view bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace dragoman::train
