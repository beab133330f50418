#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace dragoman::data {

// One line without its line end ("\n" or "\r\n").
struct Line {
  std::string_view text;     // valid until the next call; empty if oversized
  std::uint64_t number = 0;  // from 1
  bool oversized = false;    // longer than the limit; its other bytes are skipped by the next call
};

// The longest line of text that programs accept unless told otherwise. A line is a sentence, at most a few kilobytes;
// scoring and tokenising take up to a hundred bytes of memory for each of its bytes.
constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

// Splits bytes into lines in bounded memory. Drops a byte order mark at the front. The last line need not end with a
// line end.
class LineReader {
 public:
  // A line longer than kMostLineBytes is an error.
  explicit LineReader(std::unique_ptr<ByteSource> source);
  // Longer lines are marked as oversized.
  LineReader(std::unique_ptr<ByteSource> source, std::size_t max_line_bytes);

  bool next(Line& line);
  // Number of lines returned so far.
  std::uint64_t count() const { return count_; }
  // Bytes of the file consumed so far; see ByteSource::consumed().
  std::uint64_t consumed() const { return source_->consumed(); }
  const std::string& name() const { return source_->name(); }

 private:
  bool refill();
  void skip_rest();

  std::unique_ptr<ByteSource> source_;
  std::size_t max_line_bytes_;
  bool skips_ = true;  // longer lines; otherwise they are errors
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // unread part of buffer_
  bool is_within_line_ = false;      // the last line was oversized, and its end is still to come
  std::string carry_;                // beginning of a line that crosses the end of the buffer
  std::uint64_t count_ = 0;
};

}  // namespace dragoman::data
