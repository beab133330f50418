#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

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

namespace {

// The file that a chain of symbolic links leads to, whether it exists or not.
std::string followed(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  std::error_code no_link;
  for (int i = 0; i < kMostLinks; ++i) {
    const std::filesystem::path to = std::filesystem::read_symlink(path, no_link);
    if (no_link) return path.string();
    path = path.parent_path() / to;
  }
  fail("{}: too many symbolic links", path.string());
}

// A device, a pipe or a socket, which cannot be replaced by a renamed file.
bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

std::string partial_name(const std::string& path) {
  static std::atomic<unsigned> count = 0;
  return fmt::format("{}.partial-{}-{}", path, getpid(), count++);
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  // /dev/stdout and the like lead to names in /proc that are no paths.
  if (is_special(path_)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    path_ = followed(path_);
    partial_ = partial_name(path_);
    unlink(partial_.c_str());  // of a process that died
    descriptor_ = open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  }
  check(descriptor_ >= 0, "{}: cannot be written: {}", partial_.empty() ? path_ : partial_, std::strerror(errno));
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!partial_.empty()) unlink(partial_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  write_at(bytes, size_);
  size_ += bytes.size();
}

void AtomicFile::write_at(std::string_view bytes, std::uint64_t begin) {
  const bool streams = partial_.empty();
  check(!streams || begin == size_, "{}: must be a regular file", path_);
  while (!bytes.empty()) {
    const ssize_t count = streams ? ::write(descriptor_, bytes.data(), bytes.size())
                                  : pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR) continue;
    check(count > 0, "{}: cannot be written: {}", path_, std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
    begin += static_cast<std::uint64_t>(count);
  }
}

void AtomicFile::commit() {
  if (partial_.empty()) {
    const int descriptor = std::exchange(descriptor_, -1);
    check(close(descriptor) == 0, "{}: cannot be written: {}", path_, std::strerror(errno));
    return;
  }
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
