#include "data/csv.h"

#include <utility>

#include "base/error.h"
#include "base/quote.h"

namespace dragoman::data {

CsvReader::CsvReader(std::unique_ptr<ByteSource> source, std::size_t max_record_bytes)
    : source_(without_byte_order_mark(std::move(source))), max_record_bytes_(max_record_bytes), buffer_(1u << 15) {}

void CsvReader::refill() {
  begin_ = 0;
  end_ = source_->read(buffer_);
}

int CsvReader::peek() {
  if (begin_ == end_) refill();
  return begin_ == end_ ? kEnd : static_cast<unsigned char>(buffer_[begin_]);
}

int CsvReader::take() {
  const int c = peek();
  if (c != kEnd) ++begin_;
  if (c == '\n') ++line_;
  return c;
}

void CsvReader::count_byte() {
  check(++record_bytes_ <= max_record_bytes_,
        "{}:{}: the record that begins here is longer than {} bytes; is a quote unclosed?", name(), record_line_,
        max_record_bytes_);
}

void CsvReader::append(std::string& field, int c) {
  count_byte();
  field.push_back(static_cast<char>(c));
}

void CsvReader::read_quoted(std::string& field) {
  const std::uint64_t opened = line_;
  for (;;) {
    const int c = take();
    check(c != kEnd, "{}:{}: the quote opened here is never closed", name(), opened);
    if (c != '"') {
      append(field, c);
      continue;
    }
    if (peek() != '"') break;
    append(field, take());
  }
  const int after = peek();
  check(after == ',' || after == '\r' || after == '\n' || after == kEnd,
        "{}:{}: expected a comma or the end of the line after a closing quote but got '{}'", name(), line_,
        excerpt(std::string(1, static_cast<char>(after))));
}

void CsvReader::read_plain(std::string& field) {
  for (;;) {
    const int c = peek();
    if (c == ',' || c == '\n' || c == kEnd) break;
    check(c != '"', "{}:{}: a quote inside a field that does not begin with one", name(), line_);
    append(field, take());
  }
  if (peek() != ',' && field.ends_with('\r')) field.pop_back();
}

bool CsvReader::next(std::vector<std::string>& fields) {
  while (peek() == '\n' || peek() == '\r') take();
  if (peek() == kEnd) return false;
  record_line_ = line_;
  record_bytes_ = 0;
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    if (fields.size() <= count) fields.emplace_back();
    std::string& field = fields[count];
    field.clear();
    count_byte();  // the comma or line end, so that a record of empty fields is bounded too
    if (peek() == '"') {
      take();
      read_quoted(field);
      if (peek() == '\r') take();
    } else {
      read_plain(field);
    }
    const int end = take();
    check(end == ',' || end == '\n' || end == kEnd, "{}:{}: expected the end of the line after '\\r'", name(), line_);
    more = end == ',';
  }
  fields.resize(count);
  return true;
}

}  // namespace dragoman::data
