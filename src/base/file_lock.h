#pragma once

#include <optional>
#include <string>

namespace dragoman {

// An exclusive lock on a path between processes and threads (flock). The lock file is empty and removed by its holder;
// if a process dies, its lock is released.
class FileLock {
 public:
  // Waits until the lock is free.
  explicit FileLock(std::string path) : FileLock(std::move(path), true) {}
  // Returns nothing if another holder has the lock.
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
