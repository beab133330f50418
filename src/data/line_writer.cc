#include "data/line_writer.h"

#include <zlib.h>

#include "base/error.h"

namespace dragoman::data {

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
    : file_(path), compressor_(path.ends_with(".gz") ? std::make_unique<Compressor>() : nullptr) {}

LineWriter::~LineWriter() = default;

void LineWriter::write(std::string_view line) {
  pending_.append(line).push_back('\n');
  if (pending_.size() >= 1u << 16) flush(false);
}

void LineWriter::flush(bool last) {
  if (compressor_)
    compressor_->write(pending_, last, file_);
  else
    file_.write(pending_);
  pending_.clear();
}

void LineWriter::commit() {
  flush(true);
  file_.commit();
}

}  // namespace dragoman::data
