#pragma once

#include <string>

namespace dragoman::data {

// Only one process (or thread) at a time holds the lock of a path; others wait. The lock is a small file that the
// last holder removes; a holder that dies releases it.
class FileLock {
 public:
  explicit FileLock(std::string path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace dragoman::data
