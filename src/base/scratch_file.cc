#include "base/scratch_file.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/system_reason.h"

namespace dragoman {

ScratchFile::ScratchFile(const std::string& folder) {
  const std::string place = folder.empty() ? std::filesystem::temp_directory_path().string() : folder;
  std::string name = place + "/dragoman-XXXXXX";
  const int descriptor = mkstemp(name.data());
  check(descriptor >= 0, "{}: cannot create a temporary file: {}", place, system_reason);
  unlink(name.c_str());
  file_.reset(fdopen(descriptor, "w+b"));
  constexpr std::size_t kBuffer = 1 << 18;
  std::setvbuf(file_.get(), nullptr, _IOFBF, kBuffer);
}

void ScratchFile::write(const void* bytes, std::size_t size) {
  check(std::fwrite(bytes, 1, size, file_.get()) == size, "cannot write a temporary file: {}", system_reason);
}

void ScratchFile::rewind() {
  check(std::fseek(file_.get(), 0, SEEK_SET) == 0, "cannot rewind a temporary file: {}", system_reason);
}

bool ScratchFile::read(void* bytes, std::size_t size) {
  const std::size_t got = std::fread(bytes, 1, size, file_.get());
  check(got == size || got == 0, "a temporary file ends in the middle of a record");
  return got == size;
}

}  // namespace dragoman
