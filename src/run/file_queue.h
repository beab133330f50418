#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_lock.h"

namespace dragoman::run {

// Many files to translate into one folder, shared by any number of processes on any machines that see the folder. A
// file is taken by locking NAME.lock and is finished once its output NAME is there, as a whole; so each is translated
// exactly once, whoever dies on the way.
class FileQueue {
 public:
  struct Claim {
    std::string input, output;
    FileLock lock;  // held until the output is there
  };

  // Whether these names mean many files: the input is a pattern (in/*.gz) or a folder, or the output is a folder.
  static bool is_meant(const std::string& input, const std::string& output);

  // Makes the folder if necessary. Throws Error if no file matches, or if two files would have the same output.
  FileQueue(const std::string& input, const std::string& folder);

  // The next file that is neither finished nor taken; nothing if there is none.
  std::optional<Claim> next();
  std::size_t size() const { return files_.size(); }
  // The number of files that have an output now.
  std::size_t finished() const;

 private:
  struct File {
    std::string input, output;
  };
  std::vector<File> files_;  // by name
};

}  // namespace dragoman::run
