#include "data/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace dragoman::data {

FileLock::FileLock(std::string path) : path_(std::move(path)) {
  for (;;) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    check(descriptor_ >= 0, "{}: cannot be written: {}", path_, std::strerror(errno));
    int result;
    do result = flock(descriptor_, LOCK_EX);
    while (result != 0 && errno == EINTR);
    if (result != 0) {
      const int failure = errno;
      close(descriptor_);
      fail("{}: cannot be locked: {}", path_, std::strerror(failure));
    }
    // The holder before may have removed the file that was locked here; then the name is another file's, or free.
    struct stat locked {
    }, named{};
    if (fstat(descriptor_, &locked) == 0 && stat(path_.c_str(), &named) == 0 && locked.st_ino == named.st_ino &&
        locked.st_dev == named.st_dev)
      return;
    close(descriptor_);
  }
}

FileLock::~FileLock() {
  unlink(path_.c_str());
  close(descriptor_);
}

}  // namespace dragoman::data
