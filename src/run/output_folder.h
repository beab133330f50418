#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "base/file_lock.h"
#include "run/training_options.h"

namespace dragoman::run {

// Creates a folder with its parents. The destructor removes those that it created itself and that are still empty, so
// that a start that fails leaves nothing behind.
class NewFolders {
 public:
  explicit NewFolders(const std::string& folder);
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

 private:
  std::vector<std::pair<std::filesystem::path, struct stat>> created_;  // outermost first
};

// The output folder of a run, locked, because only one process at a time may train in it. Nothing in it changes before
// begin().
class OutputFolder {
 public:
  // Throws Error if the folder holds a run that the options neither resume nor overwrite.
  explicit OutputFolder(const TrainingOptions& options);

  // Bytes of the checkpoints and the model in the folder, which the run replaces.
  std::uint64_t replaced_bytes() const;
  // To be called when nothing but the training itself can fail any more: removes the run to be overwritten.
  void begin() const;
  // Throws Error if the path leads to another folder than at the beginning, whose files are not this run's to replace.
  void check_place() const;

 private:
  std::string path_;
  bool overwrites_;
  NewFolders folders_;  // outlives the lock file
  struct stat place_ {};
  std::optional<FileLock> lock_;
};

// Bytes that this process may still write to the file system of `folder`, which need not exist yet.
std::uint64_t free_disk(const std::string& folder);

// Throws Error unless files can be created in `folder`, or the folder itself if it does not exist. `what` names it in
// the message: "--cache".
void check_writable(const std::string& what, const std::string& folder);

}  // namespace dragoman::run
