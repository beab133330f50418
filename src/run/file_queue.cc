#include "run/file_queue.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "base/quote.h"

namespace dragoman::run {
namespace {

namespace fs = std::filesystem;

bool is_pattern(const std::string& path) { return path.find_first_of("*?[") != std::string::npos && !fs::exists(path); }

// What matches, in the order of names.
std::vector<std::string> matches_of(const std::string& input) {
  const std::string pattern = fs::is_directory(input) ? (fs::path(input) / "*").string() : input;
  glob_t matches{};
  const int status = glob(pattern.c_str(), 0, nullptr, &matches);
  std::vector<std::string> files;
  for (std::size_t i = 0; i < matches.gl_pathc; ++i) files.emplace_back(matches.gl_pathv[i]);
  globfree(&matches);
  check(status == 0 || status == GLOB_NOMATCH, "{}: the files cannot be listed", excerpt(pattern));
  check(!files.empty(), "{}: expected files to translate, but there are none", excerpt(pattern));
  return files;
}

constexpr std::string_view kLock = ".lock", kPartial = ".partial-";

std::string file_name_of(const std::string& path) { return fs::path(path).filename().string(); }
std::string lock_of(const std::string& output) { return output + std::string(kLock); }

// The output whose lock or unfinished form has this name; empty if there is none.
std::string owner_of(const std::string& name) {
  if (name.ends_with(kLock)) return name.substr(0, name.size() - kLock.size());
  const std::size_t partial = name.rfind(kPartial);
  return partial == std::string::npos ? "" : name.substr(0, partial);
}

}  // namespace

bool FileQueue::is_meant(const std::string& input, const std::string& output) {
  return is_pattern(input) || fs::is_directory(input) || output.ends_with('/') || fs::is_directory(output);
}

FileQueue::FileQueue(const std::string& input, const std::string& folder) {
  check(input != "-" && !folder.empty() && folder != "-",
        "expected --input 'FOLDER/*' and --output FOLDER/, to translate many files");
  const std::vector<std::string> found = matches_of(input);
  std::error_code reason;
  fs::create_directories(folder, reason);
  check(!reason, "--output {}: cannot create the folder: {}", excerpt(folder), reason.message());
  std::map<std::string, std::string> inputs;  // of each output
  for (const std::string& file : found) {
    if (std::error_code missing; fs::equivalent(file, folder, missing)) continue;
    const std::string output = (fs::path(folder) / file_name_of(file)).string();
    check(!fs::equivalent(fs::path(file).parent_path().empty() ? "." : fs::path(file).parent_path(), folder),
          "--output {}: expected another folder than that of the input {}", excerpt(folder), excerpt(file));
    const auto [at, is_new] = inputs.emplace(output, file);
    check(is_new, "{} and {} would both be translated to {}; expected files of different names", excerpt(at->second),
          excerpt(file), excerpt(output));
    files_.push_back({file, output});
  }
  for (const auto& [output, file] : inputs)
    if (const auto owner = inputs.find(owner_of(output)); owner != inputs.end())
      fail(
          "{} and {} cannot be translated into one folder, because NAME.lock and NAME.partial-... are the lock and the "
          "unfinished output of NAME",
          excerpt(owner->second), excerpt(file));
  check(!files_.empty(), "{}: expected files to translate, but there is only the output folder", excerpt(input));
}

// Continues behind the file that was taken last, and looks at no file again that is done: with many files on a network,
// looking takes longer than translating.
std::optional<FileQueue::Claim> FileQueue::next() {
  for (std::size_t tried = 0; tried < files_.size(); ++tried) {
    const std::size_t at = next_++ % files_.size();
    if (is_done(files_[at])) continue;
    std::optional<FileLock> lock = FileLock::try_lock(lock_of(files_[at].output));
    if (!lock || is_done(files_[at])) continue;  // another process has it, or has just finished it
    return Claim{files_[at].input, files_[at].output, at + 1, std::move(*lock)};
  }
  return std::nullopt;
}

bool FileQueue::is_done(File& file) {
  if (file.state == State::open && fs::exists(file.output)) file.state = State::finished;
  return file.state != State::open;
}

void FileQueue::give_up(const Claim& claim, const std::string& reason) {
  files_[claim.number - 1].state = State::given_up;
  failures_.push_back(reason.starts_with(claim.input) ? reason : claim.input + ": " + reason);
}

std::size_t FileQueue::finished() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(files_, [](const File& file) { return file.state == State::finished; }));
}

// Nobody writes to an output that is finished.
void FileQueue::tidy() const {
  std::set<std::string> finished;
  for (const File& file : files_)
    if (file.state == State::finished) finished.insert(file_name_of(file.output));
  std::vector<std::string> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(files_.front().output).parent_path()))
    if (finished.contains(owner_of(file_name_of(entry.path())))) left.push_back(entry.path());
  for (const std::string& path : left)
    if (path.ends_with(kLock))
      FileLock::try_lock(path);  // removes it, unless another process holds it
    else
      fs::remove(path);
}

}  // namespace dragoman::run
