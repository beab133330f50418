#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"

namespace dragoman::data {

// Writes lines to standard output ("-") or to a file, which appears as a whole at commit() and is compressed with gzip
// if its name ends in ".gz". The same lines always give the same bytes. Writes to devices and pipes go there directly.
class LineWriter {
 public:
  explicit LineWriter(const std::string& path);
  ~LineWriter();

  // `line` must not contain a line end.
  void write(std::string_view line);
  // Appends whole lines, with their line ends.
  void write_lines(std::string_view lines);
  // Hands over what was written to a program that reads it from standard output or a pipe.
  void flush();
  // Writes everything, after which only commit() may follow. For a file that must not appear without another.
  void complete();
  void commit();

 private:
  class Compressor;

  void put_pending(bool last);

  std::optional<AtomicFile> file_;          // none for standard output
  std::unique_ptr<Compressor> compressor_;  // null for plain text
  bool is_complete_ = false;
  std::string pending_;  // of a file; standard output has a buffer, which is written even on failure
};

}  // namespace dragoman::data
