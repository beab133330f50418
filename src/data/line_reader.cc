#include "data/line_reader.h"

#include <cstring>

#include "base/error.h"

namespace dragoman::data {
namespace {

constexpr std::size_t kBufferBytes = 1u << 16;

std::string_view without_return(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::size_t max_line_bytes)
    : source_(without_byte_order_mark(std::move(source))), max_line_bytes_(max_line_bytes), buffer_(kBufferBytes) {}

LineReader::LineReader(std::unique_ptr<ByteSource> source) : LineReader(std::move(source), kMostLineBytes) {
  skips_ = false;
}

bool LineReader::refill() {
  begin_ = 0;
  end_ = source_->read(buffer_);
  return end_ > 0;
}

void LineReader::skip_rest() {
  while (is_within_line_ && (begin_ < end_ || refill())) {
    const char* const start = buffer_.data() + begin_;
    const auto* const stop = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    begin_ = stop ? static_cast<std::size_t>(stop - buffer_.data()) + 1 : end_;
    is_within_line_ = stop == nullptr;
  }
}

bool LineReader::next(Line& line) {
  skip_rest();
  carry_.clear();
  bool oversized = false, any = false;
  while (!oversized) {
    if (begin_ == end_ && !refill()) {
      if (!any) return false;
      line.text = without_return(carry_);
      break;
    }
    any = true;
    const char* const start = buffer_.data() + begin_;
    const auto* const stop = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const std::string_view part(start, stop ? static_cast<std::size_t>(stop - start) : end_ - begin_);
    begin_ += part.size() + (stop ? 1 : 0);
    oversized = carry_.size() + part.size() > max_line_bytes_;
    is_within_line_ = oversized && stop == nullptr;
    check(!oversized || skips_, "{}:{}: expected a sentence but the line is longer than {} bytes; break it into lines",
          name(), count_ + 1, max_line_bytes_);
    if (stop && carry_.empty()) {
      line.text = without_return(part);
      break;
    }
    if (!oversized) carry_.append(part);
    if (stop) {
      line.text = without_return(carry_);
      break;
    }
  }
  if (oversized) line.text = {};
  line.oversized = oversized;
  line.number = ++count_;
  return true;
}

}  // namespace dragoman::data
