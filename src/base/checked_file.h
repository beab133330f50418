#pragma once

#include <string>
#include <string_view>

#include "base/byte_stream.h"
#include "base/file.h"
#include "base/hash.h"

// Files of one kind: a line that names it, values, and a checksum of both.
namespace dragoman {

class CheckedFileWriter final : public ByteSink {
 public:
  // `kind` ends with a line end.
  CheckedFileWriter(const std::string& path, std::string_view kind);
  // Only now does the file appear.
  void commit();

 private:
  void append(std::string_view bytes) override;

  AtomicFile file_;
  Hasher hasher_;
};

// Refuses a file of another kind, a cut and a changed one at once.
class CheckedFile {
 public:
  CheckedFile(const std::string& path, std::string_view kind);
  // From the first value on; for as long as the file lives.
  ByteReader reader() const { return {values_, path_}; }

 private:
  std::string path_;
  MappedFile file_;
  std::string_view values_;
};

}  // namespace dragoman
