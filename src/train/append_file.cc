#include "train/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.h"
#include "base/system_reason.h"

namespace dragoman::train {

AppendFile::AppendFile(std::string path) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  check(descriptor_ >= 0, "{}: cannot be written: {}", path_, system_reason);
}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void AppendFile::append(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    check(count > 0, "{}: cannot be written: {}", path_, system_reason);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace dragoman::train
