#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_lock.h"

namespace dragoman::run {

// Many files to translate into one folder, shared by any number of processes, also on several machines if their file
// system has locks between machines. A process takes a file by locking NAME.lock, which is released if the process
// dies. A file is finished once its output NAME exists; outputs appear only when they are complete. A process that
// cannot translate a file does not try it again.
class FileQueue {
 public:
  struct Claim {
    std::string input, output;
    std::size_t number;  // its place among all files, from 1
    FileLock lock;       // held until the output is there
  };

  // Whether these names mean many files: the input is a pattern (in/*.gz) or a folder, or the output is a folder.
  static bool is_meant(const std::string& input, const std::string& output);

  // Everything that matches belongs to it, except the output folder, so that what is no file is noticed when it is
  // opened. Makes the folder if necessary. Throws Error if nothing matches, or if two would have the same output.
  FileQueue(const std::string& input, const std::string& folder);

  // The next file that is neither finished nor taken nor given up; nothing if there is none.
  std::optional<Claim> next();
  // Says why a file cannot be translated.
  void give_up(const Claim& claim, const std::string& reason);
  // A line for each file that was given up: its name and the reason.
  const std::vector<std::string>& failures() const { return failures_; }
  std::size_t size() const { return files_.size(); }
  // The number of files that next() has seen to be finished; once it returns nothing, it has looked at all of them.
  std::size_t finished() const;
  // Removes the locks and unfinished outputs of processes that died, where another process has finished their file.
  void tidy() const;

 private:
  enum class State { open, finished, given_up };
  struct File {
    std::string input, output;
    State state = State::open;
  };
  bool is_done(File& file);

  std::vector<File> files_;  // by name
  std::size_t next_ = 0;     // modulo the number of files, the one to look at next
  std::vector<std::string> failures_;
};

}  // namespace dragoman::run
