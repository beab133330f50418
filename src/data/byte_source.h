#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dragoman::data {

// A sequential source of bytes: a file, standard input or memory, decompressed on the fly.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills the front of `buffer` and returns the number of bytes; 0 only at the end.
  virtual std::size_t read(std::span<char> buffer) = 0;
  // Bytes of the file consumed so far, before decompression; 0 if unknown, as for a pipe. Together with the file size
  // this gives the progress.
  virtual std::uint64_t consumed() const = 0;
  // The name for error messages: the path, or "stdin".
  virtual const std::string& name() const = 0;
};

// Opens a plain or gzip file, recognised by content; "-" is standard input. A gzip file may have several members.
// Damage, a missing end, bytes after the end (other than zeros), and expansion that no text has are errors once reading
// reaches them.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

// Files read as a whole hold tables of a tokenizer, at most a few megabytes.
constexpr std::size_t kMostWholeBytes = std::size_t{1} << 28;

// Reads a whole file through open_bytes(). A longer one than kMostWholeBytes is an error.
std::string read_whole(const std::string& path);

// The bytes of `text`, which must outlive the source.
std::unique_ptr<ByteSource> bytes_of(std::string_view text, std::string name);

// Drops a UTF-8 byte order mark at the front.
std::unique_ptr<ByteSource> without_byte_order_mark(std::unique_ptr<ByteSource> source);

}  // namespace dragoman::data
