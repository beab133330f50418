// Any bytes are a file of lines, plain or gzip, or are refused; lines are the same however the bytes arrive. Text
// survives compression in several members.
#include <zlib.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/line_reader.h"
#include "tests/fuzz/input_file.h"

namespace {

using namespace dragoman;

constexpr std::size_t kLimit = 100;

std::vector<std::string> lines_of(std::unique_ptr<data::ByteSource> source) {
  data::LineReader reader(std::move(source), kLimit);
  std::vector<std::string> lines;
  for (data::Line line; reader.next(line);) {
    if (line.text.size() > kLimit || line.number != lines.size() + 1) std::abort();
    lines.emplace_back(line.oversized ? "(too long)" : line.text);
  }
  return lines;
}

std::string zipped(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void read_file(std::string_view bytes) {
  const fuzz::InputFile file(bytes);
  try {
    const std::vector<std::string> lines = lines_of(data::open_bytes(file.path()));
    if (bytes.starts_with("\x1f\x8b")) return;
    if (lines != lines_of(data::bytes_of(bytes, "memory"))) std::abort();
  } catch (const Error&) {
    if (!bytes.starts_with("\x1f\x8b")) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_file(bytes);
  const std::string_view one = bytes.substr(0, size / 3), two = bytes.substr(size / 3);
  const fuzz::InputFile packed(zipped(one) + zipped("") + zipped(two));
  if (data::read_whole(packed.path()) != bytes) std::abort();
  return 0;
}
