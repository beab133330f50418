#include "run/output_folder.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system_reason.h"

namespace dragoman::run {
namespace {

namespace fs = std::filesystem;

// What a run writes and --overwrite removes.
constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kModel = "model.safetensors";
constexpr const char* kLog = "log.jsonl";
constexpr const char* kTensorBoard = "tensorboard";
constexpr const char* kReport = "report";

// The folder itself or its nearest parent that exists.
fs::path existing_part(const std::string& folder) {
  fs::path path = fs::absolute(folder).lexically_normal();
  std::error_code ignored;
  while (!fs::exists(path, ignored) && path.has_relative_path()) path = path.parent_path();
  return path;
}

std::uint64_t bytes_of(const fs::path& path) {
  std::error_code problem;
  if (fs::is_regular_file(path, problem)) return fs::file_size(path, problem);
  std::uint64_t bytes = 0;
  for (fs::directory_iterator entry(path, problem), end; !problem && entry != end; entry.increment(problem))
    if (entry->is_regular_file(problem)) bytes += entry->file_size(problem);
  return bytes;
}

// Whether the path leads to the same file as before.
bool is_at(const struct stat& before, const fs::path& path) {
  struct stat now {};
  return stat(path.c_str(), &now) == 0 && now.st_ino == before.st_ino && now.st_dev == before.st_dev;
}

}  // namespace

NewFolders::NewFolders(const std::string& folder) {
  for (fs::path path = fs::absolute(folder).lexically_normal(); !fs::exists(path) && path.has_relative_path();
       path = path.parent_path())
    if (path.has_filename()) created_.insert(created_.begin(), {path, {}});
  std::error_code problem;
  fs::create_directories(folder, problem);
  check(!problem, "{}: cannot be created: {}", folder, problem.message());
  for (auto& [path, made] : created_) lstat(path.c_str(), &made);
}

NewFolders::~NewFolders() {
  for (auto one = created_.rbegin(); one != created_.rend(); ++one)
    if (is_at(one->second, one->first)) rmdir(one->first.c_str());
}

OutputFolder::OutputFolder(const TrainingOptions& options)
    : path_(options.train.output),
      overwrites_(options.overwrite && !options.resume),
      folders_(path_),
      lock_(FileLock::try_lock(path_ + "/lock")) {
  check(lock_.has_value(), "{}: another process is training in this folder", path_);
  check(stat(path_.c_str(), &place_) == 0, "{}: cannot be used: {}", path_, system_reason);
  if (overwrites_ || options.resume) return;
  check(!fs::exists(fs::path(path_) / kCheckpoints),
        "{}: already holds a run; --resume continues it, --overwrite starts again", path_);
  check(!fs::exists(fs::path(path_) / kModel), "{}/{}: already exists; --overwrite replaces it", path_, kModel);
}

std::uint64_t OutputFolder::replaced_bytes() const {
  return bytes_of(fs::path(path_) / kCheckpoints) + bytes_of(fs::path(path_) / kModel);
}

void OutputFolder::check_place() const {
  check(is_at(place_, path_), "{}: was moved or replaced during the run; --resume continues it where it is now", path_);
}

void OutputFolder::begin() const {
  check_place();
  if (!overwrites_) return;
  for (const char* old : {kCheckpoints, kModel, kLog, kTensorBoard, kReport}) fs::remove_all(fs::path(path_) / old);
}

std::uint64_t free_disk(const std::string& folder) {
  struct statvfs system {};
  const fs::path path = existing_part(folder);
  check(statvfs(path.c_str(), &system) == 0, "{}: cannot be used: {}", path.string(), system_reason);
  return std::uint64_t{system.f_bavail} * system.f_frsize;
}

void check_writable(const std::string& what, const std::string& folder) {
  const fs::path path = existing_part(folder);
  check(fs::is_directory(path), "{} {}: cannot be a folder, because {} is a file", what, folder, path.string());
  check(access(path.c_str(), W_OK | X_OK) == 0, "{} {}: {} is not writable: {}", what, folder, path.string(),
        system_reason);
}

}  // namespace dragoman::run
