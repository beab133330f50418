#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"

namespace dragoman::data {

// Writes lines to a file that appears as a whole at commit(), compressed with gzip if its name ends in ".gz". The same
// lines always give the same bytes.
class LineWriter {
 public:
  explicit LineWriter(const std::string& path);
  ~LineWriter();

  // `line` must not contain a line end.
  void write(std::string_view line);
  void commit();

 private:
  class Compressor;

  void flush(bool last);

  AtomicFile file_;
  std::unique_ptr<Compressor> compressor_;  // null for a plain file
  std::string pending_;
};

}  // namespace dragoman::data
