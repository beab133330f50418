#include "run/output_conflicts.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "base/error.h"

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

}  // namespace

void check_output_conflicts(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    if (output.path.empty()) continue;
    const auto file = identify(output.path, STDOUT_FILENO);
    for (const NamedFile& input : inputs)
      check(input.path.empty() || !is_same(file, identify(input.path, STDIN_FILENO)),
            "--{} {} is also the file of --{}, which is still to be read; write to another file", output.flag,
            output.path, input.flag);
    for (std::size_t other = 0; other < i; ++other)
      check(outputs[other].path.empty() || !(have_one_name(output.path, outputs[other].path) ||
                                             is_same(file, identify(outputs[other].path, STDOUT_FILENO))),
            "--{} and --{} are the same file, {}", outputs[other].flag, output.flag, output.path);
  }
}

}  // namespace dragoman::run
