#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"

namespace dragoman::cli {

// The lines of several files one after the other, plain or gzip; "-" is stdin. Shows a progress bar by bytes.
class CorpusLines {
 public:
  CorpusLines(std::vector<std::string> paths, std::string what);
  ~CorpusLines();
  CorpusLines(const CorpusLines&) = delete;
  CorpusLines& operator=(const CorpusLines&) = delete;

  // False at the end of the last file. A carriage return before the newline is dropped.
  bool next(std::string& line);

 private:
  bool open_next();
  bool refill();
  void close();

  std::vector<std::string> paths_;
  std::size_t opened_ = 0;
  void* file_ = nullptr;  // gzFile
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::int64_t offset_ = 0;
  Progress progress_;
};

// The whole content of a file, plain or gzip.
std::string read_whole(const std::string& path);

}  // namespace dragoman::cli
