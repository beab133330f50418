#pragma once

#include <string>
#include <string_view>

#include "base/byte_stream.h"
#include "base/file.h"
#include "base/hash.h"

// Files with a header line that names their kind, then values, then a checksum of both.
namespace dragoman {

class CheckedFileWriter final : public ByteSink {
 public:
  // `kind` is the header line including its newline.
  CheckedFileWriter(const std::string& path, std::string_view kind);
  // Adds the checksum and renames the file into place; until then nothing is visible under its name.
  void commit();

 private:
  void append(std::string_view bytes) override;

  AtomicFile file_;
  Hasher hasher_;
};

// Reads such a file. Throws if it is of another kind, truncated or damaged.
class CheckedFile {
 public:
  CheckedFile(const std::string& path, std::string_view kind);
  // Starts at the first value; must not outlive this object.
  ByteReader reader() const { return {values_, path_}; }

 private:
  std::string path_;
  std::string bytes_;
  std::string_view values_;
};

}  // namespace dragoman
