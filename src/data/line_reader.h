#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace dragoman::data {

// One line without its end: "\n" or "\r\n".
struct Line {
  std::string_view text;     // valid until the next call; empty when oversized
  std::uint64_t number = 0;  // from 1
  bool oversized = false;    // longer than the limit: its bytes were passed over
};

// For lines of any length: memory is bounded by the longest.
constexpr std::size_t kNoLineLimit = std::numeric_limits<std::size_t>::max();

// Splits bytes into lines in bounded memory. A byte order mark at the front is dropped; a last line without a line
// end counts, an empty rest after the last line end does not.
class LineReader {
 public:
  LineReader(std::unique_ptr<ByteSource> source, std::size_t max_line_bytes);

  bool next(Line& line);
  // Lines given so far.
  std::uint64_t count() const { return count_; }
  // Bytes of the file taken up so far: ByteSource::consumed().
  std::uint64_t consumed() const { return source_->consumed(); }
  const std::string& name() const { return source_->name(); }

 private:
  bool refill();

  std::unique_ptr<ByteSource> source_;
  std::size_t max_line_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // unread part of buffer_
  std::string carry_;                // front of a line that crossed the buffer's end
  std::uint64_t count_ = 0;
};

}  // namespace dragoman::data
