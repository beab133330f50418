#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace dragoman::data {

// One line without its line end ("
// " or "\r
// ").
struct Line {
  std::string_view text;     // valid until the next call; empty if oversized
  std::uint64_t number = 0;  // from 1
  bool oversized = false;    // longer than the limit; its bytes were skipped
};

// Accepts lines of any length; memory is bounded by the longest.
constexpr std::size_t kNoLineLimit = std::numeric_limits<std::size_t>::max();

// Splits bytes into lines in bounded memory. Drops a byte order mark at the front. The last line need not end with a
// line end.
class LineReader {
 public:
  LineReader(std::unique_ptr<ByteSource> source, std::size_t max_line_bytes);

  bool next(Line& line);
  // Number of lines returned so far.
  std::uint64_t count() const { return count_; }
  // Bytes of the file consumed so far; see ByteSource::consumed().
  std::uint64_t consumed() const { return source_->consumed(); }
  const std::string& name() const { return source_->name(); }

 private:
  bool refill();

  std::unique_ptr<ByteSource> source_;
  std::size_t max_line_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // unread part of buffer_
  std::string carry_;                // beginning of a line that crosses the end of the buffer
  std::uint64_t count_ = 0;
};

}  // namespace dragoman::data
