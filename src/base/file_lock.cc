#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/system_reason.h"

namespace dragoman {

namespace {

// Whether the path leads to the open file.
bool is_at(int descriptor, const std::string& path) {
  struct stat locked {
  }, named{};
  return fstat(descriptor, &locked) == 0 && lstat(path.c_str(), &named) == 0 && locked.st_ino == named.st_ino &&
         locked.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(std::string path, bool waits) : path_(std::move(path)) {
  for (;;) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    check(descriptor_ >= 0, "{}: cannot be written: {}", path_, system_reason);
    int result;
    do result = flock(descriptor_, waits ? LOCK_EX : LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    if (result != 0) {
      const int failure = errno;
      close(std::exchange(descriptor_, -1));
      if (!waits && failure == EWOULDBLOCK) return;
      fail("{}: cannot be locked: {}", path_, std::strerror(failure));
    }
    // The previous holder may have removed the file before this lock was granted; the path then refers to another file
    // or none.
    if (is_at(descriptor_, path_)) return;
    close(descriptor_);
  }
}

std::optional<FileLock> FileLock::try_lock(std::string path) {
  FileLock lock(std::move(path), false);
  if (lock.descriptor_ < 0) return std::nullopt;
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  if (is_at(descriptor_, path_)) unlink(path_.c_str());
  close(descriptor_);
}

}  // namespace dragoman
