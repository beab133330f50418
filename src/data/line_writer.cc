#include "data/line_writer.h"

#include <zlib.h>

#include <cstdio>

#include "base/error.h"
#include "base/system_reason.h"

namespace dragoman::data {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

void print(std::string_view text) {
  check(std::fwrite(text.data(), 1, text.size(), stdout) == text.size(), "cannot write to standard output: {}",
        system_reason);
}

}  // namespace

class LineWriter::Compressor {
 public:
  Compressor() {
    constexpr int kGzip = 15 + 16;  // the largest window, with a gzip header that names neither file nor time
    check(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK,
          "cannot compress: out of memory");
  }
  ~Compressor() { deflateEnd(&stream_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  void write(std::string& bytes, bool last, AtomicFile& file) {
    stream_.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(room_);
      stream_.avail_out = sizeof room_;
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      file.write({room_, sizeof room_ - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
  char room_[1 << 16];
};

LineWriter::LineWriter(const std::string& path)
    : compressor_(path.ends_with(".gz") ? std::make_unique<Compressor>() : nullptr) {
  check(!path.empty(), "expected the name of a file to write to, or - for standard output, but it is empty");
  if (path != "-") file_.emplace(path);
}

LineWriter::~LineWriter() = default;

void LineWriter::write(std::string_view line) {
  write_lines(line);
  write_lines("\n");
}

void LineWriter::write_lines(std::string_view lines) {
  if (!file_) return print(lines);
  pending_.append(lines);
  if (pending_.size() >= kBuffer) put_pending(false);
}

void LineWriter::put_pending(bool last) {
  if (compressor_)
    compressor_->write(pending_, last, *file_);
  else
    file_->write(pending_);
  pending_.clear();
}

void LineWriter::flush() {
  if (file_) return put_pending(false);
  check(std::fflush(stdout) == 0, "cannot write to standard output: {}", system_reason);
}

void LineWriter::complete() {
  if (!file_) return flush();
  if (is_complete_) return;
  put_pending(true);
  file_->sync();
  is_complete_ = true;
}

void LineWriter::commit() {
  complete();
  if (file_) file_->commit();
}

}  // namespace dragoman::data
