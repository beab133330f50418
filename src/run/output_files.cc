#include "run/output_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/system_reason.h"

namespace dragoman::run {
namespace {

// What tells regular files apart; nothing for devices, pipes and files that do not exist.
std::optional<struct stat> identify(const std::string& path, int standard) {
  struct stat status {};
  const bool known = path == "-" ? fstat(standard, &status) == 0 : stat(path.c_str(), &status) == 0;
  return known && S_ISREG(status.st_mode) ? std::optional(status) : std::nullopt;
}

bool is_same(const std::optional<struct stat>& a, const std::optional<struct stat>& b) {
  return a && b && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool have_one_name(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  return a != "-" && b != "-" && fs::weakly_canonical(fs::absolute(a)) == fs::weakly_canonical(fs::absolute(b)) &&
         (!fs::exists(a) || fs::is_regular_file(a));
}

// A file appears by a rename, so it is its folder that must be writable.
void check_place(const NamedFile& output) {
  namespace fs = std::filesystem;
  struct stat status {};
  if (stat(output.path.c_str(), &status) == 0) {
    check(!S_ISDIR(status.st_mode), "{} {}: expected a file but it is a folder", output.name, output.path);
    if (!S_ISREG(status.st_mode)) return;
  }
  const fs::path folder = fs::weakly_canonical(fs::absolute(output.path)).parent_path();
  check(access(folder.c_str(), W_OK | X_OK) == 0, "{} {}: cannot be written: the folder {}: {}", output.name,
        output.path, folder.string(), system_reason);
}

}  // namespace

std::vector<NamedFile> named_files(const std::string& name, const std::vector<std::string>& paths) {
  std::vector<NamedFile> files;
  for (const std::string& path : paths) files.push_back({name, path});
  return files;
}

std::vector<NamedFile> named_files(const data::CorpusOptions& corpus) {
  std::vector<NamedFile> files = named_files("SOURCE", corpus.source);
  for (const std::string& path : corpus.target) files.push_back({"TARGET", path});
  return files;
}

void check_output_files(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    if (output.path.empty()) continue;
    if (output.path != "-") check_place(output);
    const auto file = identify(output.path, STDOUT_FILENO);
    for (const NamedFile& input : inputs)
      check(input.path.empty() || !is_same(file, identify(input.path, STDIN_FILENO)),
            "{} {} is also the file of {}, which would be lost; write to another file", output.name, output.path,
            input.name);
    for (std::size_t other = 0; other < i; ++other)
      check(outputs[other].path.empty() || !(have_one_name(output.path, outputs[other].path) ||
                                             is_same(file, identify(outputs[other].path, STDOUT_FILENO))),
            "{} and {} are the same file, {}", outputs[other].name, output.name, output.path);
  }
}

}  // namespace dragoman::run
