#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dragoman::data {

// Bytes that arrive in order: a file, standard input or memory, decompressed on the way.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills the front of `buffer` and says how many bytes came; 0 means the end, and only the end.
  virtual std::size_t read(std::span<char> buffer) = 0;
  // Bytes of the file taken up so far, compressed ones where it is compressed; 0 where that cannot be known, as in a
  // pipe. Against the file's size it says how much of the work is done.
  virtual std::uint64_t consumed() const = 0;
  // What errors call it: the path, or "stdin".
  virtual const std::string& name() const = 0;
};

// Opens a plain or gzip file (told apart by content); "-" is standard input. A truncated or damaged gzip stream is an
// error when reading reaches the damage.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

// All bytes of the file that open_bytes() opens.
std::string read_whole(const std::string& path);

// The bytes of `text`, which must outlive the source.
std::unique_ptr<ByteSource> bytes_of(std::string_view text, std::string name);

// The same bytes without a UTF-8 byte order mark at the front.
std::unique_ptr<ByteSource> without_byte_order_mark(std::unique_ptr<ByteSource> source);

}  // namespace dragoman::data
