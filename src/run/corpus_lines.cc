#include "run/corpus_lines.h"

#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "data/utf8.h"

namespace dragoman::run {
namespace {

// 0 (unknown) if one of the files is a pipe. Throws if a file is missing, before any is read.
std::int64_t total_bytes(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::int64_t total = 0;
  bool is_known = true;
  for (const std::string& path : paths) {
    if (path == "-") return 0;
    std::error_code reason;
    const fs::file_status status = fs::status(path, reason);
    check(fs::exists(status), "{}: cannot be opened: {}", path, reason.message());
    check(!fs::is_directory(status), "{}: expected a file but it is a folder", path);
    is_known = is_known && fs::is_regular_file(status);
    if (is_known) total += static_cast<std::int64_t>(fs::file_size(path));
  }
  return is_known ? total : 0;
}

}  // namespace

CorpusLines::CorpusLines(std::vector<std::string> paths, std::string what, bool warns)
    : paths_(std::move(paths)), warns_(warns), progress_(std::move(what), total_bytes(paths_), "bytes") {}

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

void CorpusLines::check_bytes(const data::Line& line) {
  const std::size_t at = data::find_invalid_utf8(line.text);
  if (at == std::string_view::npos) return;
  log::warning("{}:{}: byte {} is {}, and there may be more of them; expected UTF-8 text", lines_->name(), line.number,
               at + 1, line.text[at] == '\0' ? "NUL" : "not UTF-8");
  warns_ = false;
}

bool CorpusLines::next(std::string& line) {
  for (data::Line next;;) {
    if (lines_ && lines_->next(next)) {
      show_progress();
      if (warns_) check_bytes(next);
      line.assign(next.text);
      return true;
    }
    if (!open_next()) return false;
  }
}

}  // namespace dragoman::run
