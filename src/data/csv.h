#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/byte_source.h"

namespace dragoman::data {

// Comma-separated values by RFC 4180: quoted fields may contain commas, line ends and doubled quotes. Streams; memory
// is bounded by the longest record.
class CsvReader {
 public:
  // A record of more than `max_record_bytes` is an error, because it usually means an unclosed quote.
  CsvReader(std::unique_ptr<ByteSource> source, std::size_t max_record_bytes);

  // Reads one record. Skips empty lines.
  bool next(std::vector<std::string>& fields);
  // The line on which the last record began, from 1.
  std::uint64_t line() const { return record_line_; }
  const std::string& name() const { return source_->name(); }

 private:
  static constexpr int kEnd = -1;

  int peek();
  int take();
  void read_quoted(std::string& field);
  void read_plain(std::string& field);
  void append(std::string& field, int c);
  void count_byte();
  void refill();

  std::unique_ptr<ByteSource> source_;
  std::size_t max_record_bytes_, record_bytes_ = 0;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t line_ = 1, record_line_ = 1;
};

}  // namespace dragoman::data
