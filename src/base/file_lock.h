#pragma once

#include <optional>
#include <string>

namespace dragoman {

// Only one process (or thread) at a time holds the lock of a path. The lock is a small file that the last holder
// removes; a holder that dies releases it.
class FileLock {
 public:
  // Waits for the holder before.
  explicit FileLock(std::string path) : FileLock(std::move(path), true) {}
  // Nothing when another holds it.
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
