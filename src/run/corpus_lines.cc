#include "run/corpus_lines.h"

#include <filesystem>
#include <utility>

#include "base/error.h"

namespace dragoman::run {
namespace {

// 0 (unknown) if one of the files is stdin. Throws if a file is missing, before any is read.
std::int64_t total_bytes(const std::vector<std::string>& paths) {
  std::int64_t total = 0;
  for (const std::string& path : paths) {
    if (path == "-") return 0;
    std::error_code code;
    const auto size = std::filesystem::file_size(path, code);
    check(!code, "{}: cannot be opened: {}", path, code.message());
    total += static_cast<std::int64_t>(size);
  }
  return total;
}

}  // namespace

CorpusLines::CorpusLines(std::vector<std::string> paths, std::string what)
    : paths_(std::move(paths)), progress_(std::move(what), total_bytes(paths_), "bytes") {}

bool CorpusLines::open_next() {
  if (opened_ == paths_.size()) {
    progress_.finish();
    return false;
  }
  lines_.emplace(data::open_bytes(paths_[opened_++]));
  shown_ = 0;
  return true;
}

void CorpusLines::show_progress() {
  const std::uint64_t consumed = lines_->consumed();
  if (consumed == shown_) return;
  progress_.advance(static_cast<std::int64_t>(consumed - std::exchange(shown_, consumed)));
}

bool CorpusLines::next(std::string& line) {
  for (data::Line next;;) {
    if (lines_ && lines_->next(next)) {
      show_progress();
      line.assign(next.text);
      return true;
    }
    if (!open_next()) return false;
  }
}

}  // namespace dragoman::run
