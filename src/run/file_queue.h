#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_lock.h"

namespace dragoman::run {

// Many files to translate into one folder, shared by any number of processes, also on several machines if their file
// system has locks between machines. A process takes a file by locking NAME.lock, which is released if the process
// dies. A file is finished once its output NAME exists; outputs appear only when they are complete.
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
