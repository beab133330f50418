#include "cli/corpus_lines.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace dragoman::cli {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

std::int64_t total_bytes(const std::vector<std::string>& paths) {
  std::int64_t total = 0;
  for (const std::string& path : paths) {
    if (path == "-") return 0;
    std::error_code code;
    const auto size = std::filesystem::file_size(path, code);
    check(!code, "cannot read '{}': {}", path, code.message());
    total += static_cast<std::int64_t>(size);
  }
  return total;
}

}  // namespace

CorpusLines::CorpusLines(std::vector<std::string> paths, std::string what)
    : paths_(std::move(paths)), buffer_(kBufferBytes), progress_(std::move(what), total_bytes(paths_), "bytes") {}

CorpusLines::~CorpusLines() { close(); }

void CorpusLines::close() {
  if (file_) gzclose(static_cast<gzFile>(file_));
  file_ = nullptr;
}

bool CorpusLines::open_next() {
  close();
  if (opened_ == paths_.size()) {
    progress_.finish();
    return false;
  }
  const std::string& path = paths_[opened_++];
  file_ = path == "-" ? gzdopen(0, "rb") : gzopen(path.c_str(), "rb");
  check(file_ != nullptr, "cannot read '{}': {}", path, std::strerror(errno));
  offset_ = 0;
  return true;
}

bool CorpusLines::refill() {
  const int got = gzread(static_cast<gzFile>(file_), buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int code = 0;
  const char* const problem = gzerror(static_cast<gzFile>(file_), &code);
  check(got >= 0 && code != Z_BUF_ERROR, "{}: damaged gzip data: {}", paths_[opened_ - 1], problem);
  const std::int64_t offset = gzoffset(static_cast<gzFile>(file_));
  progress_.advance(offset - offset_);
  offset_ = offset;
  begin_ = 0;
  end_ = static_cast<std::size_t>(got);
  return got > 0;
}

bool CorpusLines::next(std::string& line) {
  line.clear();
  bool started = false;
  for (;;) {
    if (begin_ == end_ && (!file_ || !refill())) {
      if (started) break;
      if (!open_next()) return false;
      continue;
    }
    const auto from = buffer_.begin() + static_cast<std::ptrdiff_t>(begin_);
    const auto until = buffer_.begin() + static_cast<std::ptrdiff_t>(end_);
    const auto stop = std::find(from, until, '\n');
    line.append(from, stop);
    started = true;
    begin_ = static_cast<std::size_t>(stop - buffer_.begin());
    if (stop != until) {
      ++begin_;
      break;
    }
  }
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

std::string read_whole(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  check(file != nullptr, "cannot read '{}': {}", path, std::strerror(errno));
  std::string content, part(kBufferBytes, '\0');
  for (int got; (got = gzread(file, part.data(), static_cast<unsigned>(part.size()))) > 0;)
    content.append(part, 0, static_cast<std::size_t>(got));
  int code = 0;
  const std::string problem = gzerror(file, &code);
  gzclose(file);
  check(code == Z_OK || code == Z_STREAM_END, "{}: damaged gzip data: {}", path, problem);
  return content;
}

}  // namespace dragoman::cli
