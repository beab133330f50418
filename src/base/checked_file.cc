#include "base/checked_file.h"

#include <cstring>

namespace dragoman {

CheckedFileWriter::CheckedFileWriter(const std::string& path, std::string_view kind) : file_(path) {
  hasher_.add(kind);
  file_.write(kind);
}

void CheckedFileWriter::append(std::string_view bytes) {
  hasher_.add(bytes);
  file_.write(bytes);
}

void CheckedFileWriter::commit() {
  const std::uint64_t hash = hasher_.value();
  file_.write({reinterpret_cast<const char*>(&hash), sizeof hash});
  file_.commit();
}

CheckedFile::CheckedFile(const std::string& path, std::string_view kind)
    : path_(path), bytes_(read_file(path)), values_(bytes_) {
  check(values_.starts_with(kind), "{}: expected a file that starts with '{}'", path, kind.substr(0, kind.size() - 1));
  std::uint64_t stored = 0;
  check(values_.size() >= kind.size() + sizeof stored, "{}: the file is cut short after {} bytes", path,
        values_.size());
  std::memcpy(&stored, values_.data() + values_.size() - sizeof stored, sizeof stored);
  values_.remove_suffix(sizeof stored);
  check(hash_of(values_) == stored, "{}: the file is damaged or cut short: its checksum does not match", path);
  values_.remove_prefix(kind.size());
}

}  // namespace dragoman
