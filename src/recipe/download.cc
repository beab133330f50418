#include "recipe/download.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/file_lock.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "base/system_reason.h"
#include "recipe/transfer.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;

// PATH.part, the first bytes of a file, and PATH.part.origin: the URL they come from and the version's validator.
class PartialFile {
 public:
  explicit PartialFile(const std::string& path) : path_(path), part_(path + ".part"), origin_(part_ + ".origin") {
    descriptor_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    check(descriptor_ >= 0, "{}: cannot be written: {}", part_, system_reason);
    size_ = fs::file_size(part_);
  }
  ~PartialFile() { close(descriptor_); }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::string& name() const { return part_; }
  std::uint64_t size() const { return size_; }

  // Keeps the first `size` bytes.
  void cut(std::uint64_t size) {
    check(ftruncate(descriptor_, static_cast<off_t>(size)) == 0, "{}: cannot be written: {}", part_, system_reason);
    size_ = size;
  }
  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
      if (count < 0 && errno == EINTR) continue;
      check(count > 0, "{}: cannot be written: {}; {} bytes are there, from which a new start goes on", part_,
            system_reason, size_);
      bytes.remove_prefix(static_cast<std::size_t>(count));
      size_ += static_cast<std::uint64_t>(count);
    }
  }

  // The validator of the bytes, if they come from `url`.
  std::string validator(const std::string& url) const {
    std::ifstream file(origin_);
    std::string from, version;
    std::getline(file, from);
    std::getline(file, version);
    return from == url ? version : "";
  }
  void set_origin(const std::string& url, const std::string& version) const {
    AtomicFile file(origin_);
    file.write(url + "\n" + version + "\n");
    file.commit();
  }

  // Renames the file to its own name.
  void finish() {
    check(fsync(descriptor_) == 0, "{}: cannot be written: {}", part_, system_reason);
    fs::rename(part_, path_);
    fs::remove(origin_);
  }
  void remove() {
    fs::remove(part_);
    fs::remove(origin_);
  }

 private:
  std::string path_, part_, origin_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

// Writes the bytes of one transfer to the partial file and shows a progress bar.
class PartialFileSink final : public TransferSink {
 public:
  PartialFileSink(PartialFile& part, const std::string& url, std::string title)
      : part_(part), url_(url), title_(std::move(title)) {}

  void begin(const TransferAnswer& answer) override {
    check(answer.begin <= part_.size(), "{}: the server sends bytes from {} on but was asked for those from {} on",
          url_, answer.begin, part_.size());
    if (answer.begin == 0 && part_.size() > 0) log::info("{}: beginning again", title_);
    part_.cut(answer.begin);
    part_.set_origin(url_, answer.validator);
    const std::uint64_t rest = answer.size.value_or(0) > answer.begin ? *answer.size - answer.begin : 0;
    check_space(rest);
    progress_.emplace(title_, static_cast<std::int64_t>(rest), "bytes");
  }
  void add(std::string_view bytes) override {
    part_.add(bytes);
    progress_->advance(static_cast<std::int64_t>(bytes.size()));
  }

 private:
  void check_space(std::uint64_t needed) const {
    std::error_code unknown;
    const fs::space_info space = fs::space(part_.name(), unknown);
    check(unknown || needed <= space.available, "{}: {} more bytes are needed but the disk has room for {} only",
          part_.name(), needed, space.available);
  }

  PartialFile& part_;
  const std::string& url_;
  std::string title_;
  std::optional<Progress> progress_;
};

class Downloader {
 public:
  Downloader(const Download& file, const DownloadOptions& options)
      : file_(file), options_(options), part_(file.path), title_(fs::path(file.path).filename()) {}

  void run() {
    bool resumed = receive();
    std::string actual = sha256_of_file(part_.name());
    if (actual != file_.sha256 && resumed) {
      log::warning("{}: the resumed download has another checksum; beginning again", title_);
      part_.cut(0);
      receive();
      actual = sha256_of_file(part_.name());
    }
    if (actual != file_.sha256) {
      part_.remove();
      fail("{}: the download has another SHA-256 than declared: expected {}, got {}; it was removed", file_.url,
           file_.sha256, actual);
    }
    part_.finish();
  }

 private:
  // Gets all bytes, in several attempts if need be. Returns whether they come from more than one.
  bool receive() {
    bool resumed = part_.size() > 0;
    std::uint64_t most = part_.size();
    for (int failures = 0;;) {
      const TransferEnd end = attempt();
      switch (end.status) {
        case TransferStatus::complete: return resumed;
        case TransferStatus::past_end:
          // Either complete already, or longer than the file of this server.
          if (sha256_of_file(part_.name()) == file_.sha256) return true;
          part_.cut(0);
          break;
        case TransferStatus::refused: fail("{}: cannot be downloaded: {}", file_.url, end.reason);
        case TransferStatus::unreachable:
          throw ServerUnreachable(fmt::format("{}: cannot be downloaded: {}", file_.url, end.reason));
        case TransferStatus::interrupted: break;
      }
      constexpr std::uint64_t kProgress = 1 << 20;  // so many new bytes make up for earlier failures
      if (part_.size() >= most + kProgress) failures = 0;
      most = std::max(most, part_.size());
      wait(failures++, end.reason);
      resumed = part_.size() > 0;
    }
  }

  TransferEnd attempt() {
    const TransferRequest request{.url = file_.url,
                                  .begin = part_.size(),
                                  .validator = part_.validator(file_.url),
                                  .stall_seconds = options_.stall_seconds};
    PartialFileSink sink(part_, file_.url, title_);
    return transfer(request, sink);
  }

  void wait(int failures, const std::string& reason) const {
    if (failures >= options_.retries)
      throw ServerUnreachable(
          fmt::format("{}: the download was interrupted {} times: {}; {} bytes are in {}, from "
                      "which a new start goes on",
                      file_.url, failures + 1, reason, part_.size(), part_.name()));
    const double seconds = options_.first_wait * static_cast<double>(1 << std::min(failures, 10));
    log::warning("{}: {}; going on from byte {} in {} s", title_, reason, part_.size(), seconds);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }

  const Download& file_;
  const DownloadOptions& options_;
  PartialFile part_;
  std::string title_;
};

FileLock lock(const std::string& path) {
  std::optional<FileLock> own = FileLock::try_lock(path);
  if (own) return std::move(*own);
  log::info("{}: waiting for another process that downloads this file", path);
  return FileLock(path);
}

}  // namespace

void download(const Download& file, const DownloadOptions& options) {
  if (const fs::path folder = fs::path(file.path).parent_path(); !folder.empty()) fs::create_directories(folder);
  const FileLock own = lock(file.path + ".lock");
  if (fs::exists(file.path) && sha256_of_file(file.path) == file.sha256) return;
  Downloader(file, options).run();
}

}  // namespace dragoman::recipe
