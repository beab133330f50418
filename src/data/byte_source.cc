#include "data/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/system_reason.h"

namespace dragoman::data {
namespace {

// Limits of decompression. Text compresses about fourfold, and text full of repetitions twentyfold; only a file made to
// exhaust its reader comes near the thousandfold that the format allows. Small files may have any ratio.
constexpr std::uint64_t kMostExpansion = 200, kFreeExpansion = std::uint64_t{64} << 20;

int open_descriptor(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check(descriptor >= 0, "{}: cannot be opened: {}", path, system_reason);
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(descriptor);
    fail("{}: expected a file but it is a folder", path);
  }
  return descriptor;
}

// The bytes of a file, pipe or terminal: passes them on as they arrive, without waiting for more.
class DescriptorBytes {
 public:
  // Closes the descriptor in the end, unless it is standard input.
  DescriptorBytes(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  ~DescriptorBytes() {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }
  DescriptorBytes(const DescriptorBytes&) = delete;
  DescriptorBytes& operator=(const DescriptorBytes&) = delete;

  // Bytes that were read but not taken yet.
  std::span<char> front() { return {buffer_.data() + used_, filled_ - used_}; }
  void take(std::size_t count) { used_ += count; }
  // Reads more bytes behind those of front(); false at the end.
  bool refill() {
    if (used_ == filled_) used_ = filled_ = 0;
    ssize_t got;
    do got = ::read(descriptor_, buffer_.data() + filled_, buffer_.size() - filled_);
    while (got < 0 && errno == EINTR);
    check(got >= 0, "{}: cannot be read: {}", name_, system_reason);
    filled_ += static_cast<std::size_t>(got);
    total_ += static_cast<std::uint64_t>(got);
    return got > 0;
  }
  bool has_more() { return used_ < filled_ || refill(); }
  // Bytes taken so far.
  std::uint64_t taken() const { return total_ - (filled_ - used_); }
  bool is_pipe() const { return descriptor_ == STDIN_FILENO; }
  const std::string& name() const { return name_; }

 private:
  int descriptor_;
  std::string name_;
  std::array<char, 1 << 16> buffer_;
  std::size_t used_ = 0, filled_ = 0;
  std::uint64_t total_ = 0;
};

// Decompresses the members of a gzip file, one after another.
class Gunzip {
 public:
  explicit Gunzip(DescriptorBytes& input) : input_(input) {
    check(inflateInit2(&stream_, 15 + 16) == Z_OK, "{}: cannot be read: out of memory", input_.name());
  }
  ~Gunzip() { inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  // 0 only at the end.
  std::size_t read(std::span<char> buffer) {
    for (;;) {
      if (ended_) skip_padding();
      if (!input_.has_more()) {
        check(ended_, "{}: the gzip file is truncated", input_.name());
        return 0;
      }
      if (std::exchange(ended_, false)) inflateReset(&stream_);  // another member follows
      if (const std::size_t count = inflate_into(buffer)) return count;
    }
  }

 private:
  // Files from tapes and disk images end in zeros.
  void skip_padding() {
    while (input_.has_more() && (input_.front()[0] == 0 || padded_)) {
      const std::span<char> front = input_.front();
      const auto zeros = static_cast<std::size_t>(
          std::find_if(front.begin(), front.end(), [](char c) { return c != 0; }) - front.begin());
      check(zeros == front.size(), "{}: bytes that are not gzip data follow byte {}", input_.name(),
            input_.taken() + zeros);
      input_.take(zeros);
      padded_ = true;
    }
  }

  std::size_t inflate_into(std::span<char> buffer) {
    const std::span<char> front = input_.front();
    stream_.next_in = reinterpret_cast<Bytef*>(front.data());
    stream_.avail_in = static_cast<uInt>(front.size());
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(buffer.size(), 1u << 30));
    const uInt room = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    input_.take(front.size() - stream_.avail_in);
    ended_ = code == Z_STREAM_END;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) fail_damaged();
    produced_ += room - stream_.avail_out;
    check(produced_ <= kFreeExpansion || produced_ / kMostExpansion <= input_.taken(),
          "{}: the gzip file expands more than {} times, as no text does; decompress it first if it is what you want",
          input_.name(), kMostExpansion);
    return room - stream_.avail_out;
  }

  [[noreturn]] void fail_damaged() const {
    const bool in_first_member = produced_ == stream_.total_out;
    const std::string_view words = stream_.msg == nullptr ? "unknown error" : stream_.msg;
    if (!in_first_member && stream_.total_out == 0)
      fail("{}: bytes that are not gzip data follow the data, near byte {}", input_.name(), input_.taken());
    fail("{}: the gzip file is damaged near byte {}: {}", input_.name(), input_.taken(), words);
  }

  DescriptorBytes& input_;
  z_stream stream_{};
  std::uint64_t produced_ = 0;
  bool ended_ = false, padded_ = false;
};

// A file or standard input. Recognises gzip by its first two bytes.
class FileBytes final : public ByteSource {
 public:
  FileBytes(int descriptor, std::string name) : input_(descriptor, std::move(name)) {}

  std::size_t read(std::span<char> buffer) override {
    if (buffer.empty()) return 0;
    if (std::exchange(fresh_, false)) begin();
    if (gunzip_) return gunzip_->read(buffer);
    if (!input_.has_more()) return 0;
    const std::size_t count = std::min(buffer.size(), input_.front().size());
    std::copy_n(input_.front().begin(), count, buffer.begin());
    input_.take(count);
    return count;
  }
  std::uint64_t consumed() const override { return input_.is_pipe() ? 0 : input_.taken(); }
  const std::string& name() const override { return input_.name(); }

 private:
  void begin() {
    constexpr std::string_view kMagic = "\x1f\x8b";
    const auto starts = [&] {
      const std::span<char> front = input_.front();
      return kMagic.starts_with(std::string_view(front.data(), std::min(front.size(), kMagic.size())));
    };
    while (input_.front().size() < kMagic.size() && starts() && input_.refill()) continue;
    const bool packed = input_.front().size() >= kMagic.size() && starts();
    check(packed || input_.is_pipe() || !name().ends_with(".gz"),
          "{}: expected a gzip file but the header is not that of one", name());
    if (packed) gunzip_.emplace(input_);
  }

  DescriptorBytes input_;
  std::optional<Gunzip> gunzip_;
  bool fresh_ = true;
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
  check(!path.empty(), "expected the name of a file, or - for standard input, but it is empty");
  if (path == "-") return std::make_unique<FileBytes>(STDIN_FILENO, "stdin");
  return std::make_unique<FileBytes>(open_descriptor(path), path);
}

std::string read_whole(const std::string& path) {
  const std::unique_ptr<ByteSource> source = open_bytes(path);
  std::string content, part(1u << 16, '\0');
  while (const std::size_t got = source->read(part)) {
    check(content.size() + got <= kMostWholeBytes, "{}: expected a file of at most {} MiB", source->name(),
          kMostWholeBytes >> 20);
    content.append(part, 0, got);
  }
  return content;
}

std::unique_ptr<ByteSource> bytes_of(std::string_view text, std::string name) {
  return std::make_unique<MemoryBytes>(text, std::move(name));
}

}  // namespace dragoman::data
