#include "data/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace dragoman::data {

MappedFile::MappedFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check(descriptor >= 0, "{}: cannot be opened: {}", path, std::strerror(errno));
  struct stat status {};
  void* address = MAP_FAILED;
  const bool known = fstat(descriptor, &status) == 0;
  if (known && status.st_size > 0)
    address = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_SHARED, descriptor, 0);
  const int failure = errno;
  close(descriptor);
  if (known && status.st_size == 0) return;
  check(address != MAP_FAILED, "{}: cannot be mapped into memory: {}", path, std::strerror(failure));
  data_ = static_cast<const char*>(address);
  size_ = static_cast<std::size_t>(status.st_size);
}

MappedFile::~MappedFile() {
  if (data_) munmap(const_cast<char*>(data_), size_);
}

}  // namespace dragoman::data
