#pragma once

#include <optional>
#include <string>

namespace dragoman {

// An exclusive lock on a path between processes and threads (flock). It is an empty file that the holder removes; the
// lock of a process that dies is released.
class FileLock {
 public:
  // Waits until the lock is free.
  explicit FileLock(std::string path) : FileLock(std::move(path), true) {}
  // Returns nothing when the lock is taken.
  static std::optional<FileLock> try_lock(std::string path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

 private:
  FileLock(std::string path, bool waits);

  std::string path_;
  int descriptor_ = -1;  // -1: not held
};

}  // namespace dragoman
