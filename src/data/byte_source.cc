#include "data/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace dragoman::data {
namespace {

int open_descriptor(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check(descriptor >= 0, "{}: cannot be opened: {}", path, std::strerror(errno));
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(descriptor);
    fail("{}: expected a file but it is a folder", path);
  }
  return descriptor;
}

class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(const std::string& path) : name_(path) {
    const int descriptor = open_descriptor(path);
    file_ = gzdopen(descriptor, "rb");
    if (!file_) close(descriptor);
    check(file_ != nullptr, "{}: cannot be opened: out of memory", name_);
    gzbuffer(file_, 1u << 17);
  }
  ~FileBytes() override { gzclose(file_); }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::size_t read(std::span<char> buffer) override {
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(buffer.size(), 1u << 30));
    const int got = gzread(file_, buffer.data(), wanted);
    if (got < static_cast<int>(wanted)) check_state();
    if (std::exchange(fresh_, false) && gzdirect(file_) && name_.ends_with(".gz"))
      fail("{}: expected a gzip file but the header is not that of one", name_);
    consumed_ = static_cast<std::uint64_t>(std::max<z_off_t>(gzoffset(file_), 0));
    return static_cast<std::size_t>(got);
  }
  std::uint64_t consumed() const override { return consumed_; }
  const std::string& name() const override { return name_; }

 private:
  void check_state() {
    int code = Z_OK;
    const std::string words = gzerror(file_, &code);
    check(code != Z_BUF_ERROR, "{}: the gzip file is truncated", name_);
    check(code != Z_DATA_ERROR, "{}: the gzip file is damaged: {}", name_, words);
    check(code != Z_ERRNO, "{}: cannot be read: {}", name_, std::strerror(errno));
    check(code == Z_OK || code == Z_STREAM_END, "{}: cannot be read: {}", name_, words);
  }

  std::string name_;
  gzFile file_ = nullptr;
  std::uint64_t consumed_ = 0;
  bool fresh_ = true;
};

// A pipe or terminal: passes bytes on as they arrive, without waiting for more. Recognises gzip by its first two bytes.
class StreamBytes final : public ByteSource {
 public:
  StreamBytes() = default;
  ~StreamBytes() override {
    if (packed_) inflateEnd(&stream_);
  }
  StreamBytes(const StreamBytes&) = delete;
  StreamBytes& operator=(const StreamBytes&) = delete;

  std::size_t read(std::span<char> buffer) override {
    if (buffer.empty()) return 0;
    if (std::exchange(fresh_, false)) begin();
    return packed_ ? inflate_into(buffer) : copy_into(buffer);
  }
  std::uint64_t consumed() const override { return 0; }
  const std::string& name() const override { return name_; }

 private:
  // Reads until the first two bytes are there.
  void begin() {
    while (filled_ < 2 && refill()) continue;
    packed_ = filled_ >= 2 && front_[0] == '\x1f' && front_[1] == '\x8b';
    if (packed_) check(inflateInit2(&stream_, 15 + 16) == Z_OK, "{}: cannot be read: out of memory", name_);
  }

  // Makes bytes available in [used_, filled_) of front_; false at the end.
  bool refill() {
    if (used_ == filled_) used_ = filled_ = 0;
    ssize_t got;
    do got = ::read(STDIN_FILENO, front_ + filled_, sizeof front_ - filled_);
    while (got < 0 && errno == EINTR);
    check(got >= 0, "{}: cannot be read: {}", name_, std::strerror(errno));
    filled_ += static_cast<std::size_t>(got);
    return got > 0;
  }

  std::size_t copy_into(std::span<char> buffer) {
    if (used_ == filled_ && !refill()) return 0;
    const std::size_t count = std::min(buffer.size(), filled_ - used_);
    std::copy_n(front_ + used_, count, buffer.begin());
    used_ += count;
    return count;
  }

  std::size_t inflate_into(std::span<char> buffer) {
    for (;;) {
      if (used_ == filled_ && !refill()) {
        check(ended_, "{}: the gzip stream is truncated", name_);
        return 0;
      }
      if (std::exchange(ended_, false)) inflateReset(&stream_);  // another gzip member follows
      stream_.next_in = reinterpret_cast<Bytef*>(front_ + used_);
      stream_.avail_in = static_cast<uInt>(filled_ - used_);
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(buffer.size(), 1u << 30));
      const uInt room = stream_.avail_out;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      used_ = filled_ - stream_.avail_in;
      ended_ = code == Z_STREAM_END;
      check(code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR, "{}: the gzip stream is damaged", name_);
      if (stream_.avail_out < room) return room - stream_.avail_out;
    }
  }

  std::string name_ = "stdin";
  char front_[1 << 16];
  std::size_t used_ = 0, filled_ = 0;
  z_stream stream_{};
  bool fresh_ = true, packed_ = false, ended_ = false;
};

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = text_.substr(consumed_).copy(buffer.data(), buffer.size());
    consumed_ += count;
    return count;
  }
  std::uint64_t consumed() const override { return consumed_; }
  const std::string& name() const override { return name_; }

 private:
  std::string_view text_;
  std::string name_;
  std::size_t consumed_ = 0;
};

class MarkFreeBytes final : public ByteSource {
 public:
  explicit MarkFreeBytes(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}
  std::size_t read(std::span<char> buffer) override {
    if (std::exchange(fresh_, false)) fill_front();
    if (front_.empty()) return inner_->read(buffer);
    const std::size_t count = front_.copy(buffer.data(), buffer.size());
    front_.erase(0, count);
    return count;
  }
  std::uint64_t consumed() const override { return inner_->consumed(); }
  const std::string& name() const override { return inner_->name(); }

 private:
  // A pipe may deliver its first bytes one at a time, so the mark is collected before it is compared.
  void fill_front() {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    char c = 0;
    while (front_.size() < kMark.size() && inner_->read({&c, 1}) == 1) front_.push_back(c);
    if (front_ == kMark) front_.clear();
  }

  std::unique_ptr<ByteSource> inner_;
  std::string front_;
  bool fresh_ = true;
};

}  // namespace

std::unique_ptr<ByteSource> without_byte_order_mark(std::unique_ptr<ByteSource> source) {
  return std::make_unique<MarkFreeBytes>(std::move(source));
}

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  if (path == "-") return std::make_unique<StreamBytes>();
  return std::make_unique<FileBytes>(path);
}

std::string read_whole(const std::string& path) {
  const std::unique_ptr<ByteSource> source = open_bytes(path);
  std::string content, part(1u << 18, '\0');
  while (const std::size_t got = source->read(part)) content.append(part, 0, got);
  return content;
}

std::unique_ptr<ByteSource> bytes_of(std::string_view text, std::string name) {
  return std::make_unique<MemoryBytes>(text, std::move(name));
}

}  // namespace dragoman::data
