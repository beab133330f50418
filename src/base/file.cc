#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/mapped_file_faults.h"
#include "base/system_reason.h"
#include "base/unfinished_files.h"

namespace dragoman {

namespace {

std::int64_t time_of(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace

// O_NONBLOCK: opening a pipe would wait for its writer. It has no effect on regular files.
InputFile::InputFile(const std::string& path) : path_(path) {
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  check(descriptor_ >= 0, "{}: cannot be opened: {}", path, system_reason);
  struct stat status {};
  const bool known = fstat(descriptor_, &status) == 0;
  if (known && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    modified_ = time_of(status);
    return;
  }
  const int failure = errno;
  close(descriptor_);
  check(known, "{}: cannot be opened: {}", path, std::strerror(failure));
  check(!S_ISDIR(status.st_mode), "{}: expected a file but this is a folder; name the file inside it", path);
  fail("{}: expected a regular file but this is a pipe or a device; copy it to a file first", path);
}

InputFile::~InputFile() { close(descriptor_); }

void InputFile::read(std::uint64_t begin, char* to, std::size_t count) const {
  while (count > 0) {
    const ssize_t got = pread(descriptor_, to, count, static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    check(got >= 0, "{}: cannot be read: {}", path_, system_reason);
    check(got > 0, "{}: has become shorter while it was read; another program is writing to it", path_);
    begin += static_cast<std::uint64_t>(got);
    to += got;
    count -= static_cast<std::size_t>(got);
  }
}

void InputFile::check_unchanged() const {
  struct stat status {};
  check(fstat(descriptor_, &status) == 0 && static_cast<std::uint64_t>(status.st_size) == size_ &&
            time_of(status) == modified_,
        "{}: another program has written to it while it was in use", path_);
}

std::string read_file(const std::string& path) {
  const InputFile file(path);
  std::string bytes(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, bytes.data(), bytes.size());
  return bytes;
}

MappedFile::MappedFile(const std::string& path) : file_(path) {
  if (file_.size() == 0) return;
  const auto size = static_cast<std::size_t>(file_.size());
  void* const address = mmap(nullptr, size, PROT_READ, MAP_SHARED, file_.descriptor(), 0);
  check(address != MAP_FAILED, "{}: cannot be mapped into memory: {}", path, system_reason);
  data_ = static_cast<const char*>(address);
  size_ = size;
  remember_mapping(data_, size_, path);
}

MappedFile::~MappedFile() {
  if (!data_) return;
  forget_mapping(data_);
  munmap(const_cast<char*>(data_), size_);
}

namespace {

// The file that a chain of symbolic links leads to, whether it exists or not. Names of open descriptors of this
// process, such as /proc/self/fd/1, are not followed.
std::filesystem::path followed(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  std::error_code no_link;
  for (int i = 0; i < kMostLinks; ++i) {
    if (std::filesystem::equivalent(path.parent_path(), "/proc/self/fd", no_link)) return path;
    const std::filesystem::path to = std::filesystem::read_symlink(path, no_link);
    if (no_link) return path;
    path = path.parent_path() / to;
  }
  fail("{}: too many symbolic links", path.string());
}

// A new descriptor of the open file that /dev/stdout, /dev/fd/N or a link to such a name means; -1 for other paths.
// Opening the path would start at the beginning of the file, and renaming another over it would detach the descriptor.
int descriptor_named(const std::string& path) {
  const std::filesystem::path name = followed(path);
  std::error_code error;
  if (!std::filesystem::equivalent(name.parent_path(), "/proc/self/fd", error)) return -1;
  return fcntl(std::atoi(name.filename().c_str()), F_DUPFD_CLOEXEC, 0);
}

// A device, a pipe or a socket, which cannot be replaced by a renamed file.
bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// Throws WriteError unless `good` holds, which a system call has just decided.
void check_written(bool good, const std::string& path) {
  if (!good) throw WriteError(fmt::format("{}: cannot be written: {}", path, system_reason));
}

std::string partial_name(const std::string& path) {
  static std::atomic<unsigned> count = 0;
  return fmt::format("{}.partial-{}-{}", path, getpid(), count++);
}

// Calls put(bytes, begin), which returns what a system call did, until all bytes are written.
template <class Put>
void write_all(const std::string& path, std::string_view bytes, std::uint64_t begin, Put put) {
  while (!bytes.empty()) {
    const ssize_t count = put(bytes, begin);
    if (count < 0 && errno == EINTR) continue;
    check_written(count > 0, path);
    bytes.remove_prefix(static_cast<std::size_t>(count));
    begin += static_cast<std::uint64_t>(count);
  }
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  if (descriptor_ = descriptor_named(path_); descriptor_ >= 0) return;
  if (is_special(path_)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    path_ = followed(path_).string();
    partial_ = partial_name(path_);
    unlink(partial_.c_str());  // of a process that died
    remember_unfinished(partial_);
    descriptor_ = open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  }
  if (descriptor_ >= 0) return;
  const int reason = errno;
  forget_unfinished(partial_);
  errno = reason;
  check_written(false, path_);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (partial_.empty()) return;
  unlink(partial_.c_str());
  forget_unfinished(partial_);
}

void AtomicFile::write(std::string_view bytes) {
  write_at(bytes, size_);
  size_ += bytes.size();
}

void AtomicFile::write_at(std::string_view bytes, std::uint64_t begin) {
  const bool streams = partial_.empty();
  check(!streams || begin == size_, "{}: must be a regular file", path_);
  write_all(path_, bytes, begin, [&](std::string_view left, std::uint64_t at) {
    return streams ? ::write(descriptor_, left.data(), left.size())
                   : pwrite(descriptor_, left.data(), left.size(), static_cast<off_t>(at));
  });
}

void AtomicFile::sync() {
  if (!partial_.empty()) check_written(fsync(descriptor_) == 0, path_);
}

void AtomicFile::commit() {
  if (partial_.empty()) {
    const int descriptor = std::exchange(descriptor_, -1);
    check_written(close(descriptor) == 0, path_);
    return;
  }
  sync();
  check(rename(partial_.c_str(), path_.c_str()) == 0, "{}: cannot be renamed from its temporary file: {}", path_,
        system_reason);
  forget_unfinished(partial_);
  close(descriptor_);
  descriptor_ = -1;
  // The new name is durable only once the folder itself is synced.
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  const int parent = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent < 0) return;
  fsync(parent);
  close(parent);
}

SharedOutput::SharedOutput(std::string path)
    : path_(std::move(path)), descriptor_(open(path_.c_str(), O_WRONLY | O_CLOEXEC)) {
  check(descriptor_ >= 0, "{}: cannot be opened: {}", path_, system_reason);
}

SharedOutput::~SharedOutput() { close(descriptor_); }

void SharedOutput::write_at(std::string_view bytes, std::uint64_t begin) {
  write_all(path_, bytes, begin, [this](std::string_view left, std::uint64_t at) {
    return pwrite(descriptor_, left.data(), left.size(), static_cast<off_t>(at));
  });
}

void SharedOutput::sync() { check_written(fsync(descriptor_) == 0, path_); }

}  // namespace dragoman
