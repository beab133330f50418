#include "run/file_queue.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <map>

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

// What processes that died had written of an output.
void remove_unfinished(const std::string& output) {
  const std::string beginning = fs::path(output).filename().string() + ".partial-";
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(output).parent_path()))
    if (entry.path().filename().string().starts_with(beginning)) fs::remove(entry.path());
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
    const std::string output = (fs::path(folder) / fs::path(file).filename()).string();
    check(!fs::equivalent(fs::path(file).parent_path().empty() ? "." : fs::path(file).parent_path(), folder),
          "--output {}: expected another folder than that of the input {}", excerpt(folder), excerpt(file));
    const auto [at, is_new] = inputs.emplace(output, file);
    check(is_new, "{} and {} would both be translated to {}; expected files of different names", excerpt(at->second),
          excerpt(file), excerpt(output));
    files_.push_back({file, output});
  }
  check(!files_.empty(), "{}: expected files to translate, but there is only the output folder", excerpt(input));
}

std::optional<FileQueue::Claim> FileQueue::next() {
  for (const File& file : files_) {
    if (file.is_given_up || fs::exists(file.output)) continue;
    std::optional<FileLock> lock = FileLock::try_lock(file.output + ".lock");
    if (!lock || fs::exists(file.output)) continue;  // another process has it, or has just finished it
    remove_unfinished(file.output);
    return Claim{file.input, file.output, std::move(*lock)};
  }
  return std::nullopt;
}

void FileQueue::give_up(const Claim& claim, const std::string& reason) {
  for (File& file : files_)
    if (file.input == claim.input) file.is_given_up = true;
  failures_.push_back(reason.starts_with(claim.input) ? reason : claim.input + ": " + reason);
}

std::size_t FileQueue::finished() const {
  return static_cast<std::size_t>(
      std::count_if(files_.begin(), files_.end(), [](const File& file) { return fs::exists(file.output); }));
}

}  // namespace dragoman::run
