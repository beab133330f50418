#include "base/program_files.h"

#include <filesystem>

namespace dragoman {

namespace fs = std::filesystem;

std::string this_program() { return fs::read_symlink("/proc/self/exe").string(); }

std::vector<std::string> program_folders(const std::string& name) {
  std::vector<std::string> folders;
  const auto add = [&](const fs::path& folder) {
    if (fs::is_directory(folder)) folders.push_back(folder.string());
  };
  const fs::path program = fs::path(this_program()).parent_path();
  add(program.parent_path() / "share/dragoman" / name);  // of PREFIX/bin/dragoman
  for (fs::path above = program; above.has_relative_path(); above = above.parent_path())
    if (fs::exists(above / "recipes/data.yaml")) add(above / name);  // of build/release/dragoman
  return folders;
}

}  // namespace dragoman
