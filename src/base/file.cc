#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace dragoman {

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
  check(!known || !S_ISDIR(status.st_mode), "{}: expected a file but this is a folder; name the file inside it", path);
  check(address != MAP_FAILED, "{}: cannot be mapped into memory: {}", path, std::strerror(failure));
  data_ = static_cast<const char*>(address);
  size_ = static_cast<std::size_t>(status.st_size);
}

MappedFile::~MappedFile() {
  if (data_) munmap(const_cast<char*>(data_), size_);
}

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), partial_(path_ + ".partial-" + std::to_string(getpid())) {
  descriptor_ = open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  check(descriptor_ >= 0, "{}: cannot be written: {}", partial_, std::strerror(errno));
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(partial_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  write_at(bytes, size_);
  size_ += bytes.size();
}

void AtomicFile::write_at(std::string_view bytes, std::uint64_t begin) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR) continue;
    check(count > 0, "{}: cannot be written: {}", path_, std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
    begin += static_cast<std::uint64_t>(count);
  }
}

void AtomicFile::commit() {
  check(fsync(descriptor_) == 0, "{}: cannot be written: {}", path_, std::strerror(errno));
  check(rename(partial_.c_str(), path_.c_str()) == 0, "{}: cannot be renamed from its temporary file: {}", path_,
        std::strerror(errno));
  close(descriptor_);
  descriptor_ = -1;
  // The new name is durable only once the folder itself is synced.
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  const int parent = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent < 0) return;
  fsync(parent);
  close(parent);
}

}  // namespace dragoman
