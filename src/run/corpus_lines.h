#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "data/line_reader.h"
#include "text/build.h"

namespace dragoman::run {

// Reads the lines of several files one after another, plain or gzip; "-" is stdin. Shows a progress bar in bytes, and
// warns of the first line that is not UTF-8 unless `warns` is false.
class CorpusLines {
 public:
  CorpusLines(std::vector<std::string> paths, std::string what, bool warns = true);

  // False at the end of the last file.
  bool next(std::string& line);
  // next() as a function object, which must not outlive this object.
  text::LineSource source() {
    return [this](std::string& line) { return next(line); };
  }

 private:
  bool open_next();
  void show_progress();
  void check_bytes(const data::Line& line);

  std::vector<std::string> paths_;
  bool warns_;
  std::size_t opened_ = 0;
  std::optional<data::LineReader> lines_;
  std::uint64_t shown_ = 0;  // bytes of the current file that the progress bar has counted
  Progress progress_;
};

}  // namespace dragoman::run
