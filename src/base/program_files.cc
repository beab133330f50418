#include "base/program_files.h"

#include <algorithm>
#include <filesystem>

namespace dragoman {

namespace fs = std::filesystem;

std::string this_program() { return fs::read_symlink("/proc/self/exe").string(); }

std::vector<std::string> program_folders(const std::string& name, const std::string& program) {
  std::vector<std::string> folders;
  const auto add = [&](const fs::path& found) {
    if (fs::is_directory(found) && std::find(folders.begin(), folders.end(), found.string()) == folders.end())
      folders.push_back(found.string());
  };
  const fs::path folder = fs::path(program).parent_path();
  add(folder / name);
  add(folder.parent_path() / "share/dragoman" / name);  // of PREFIX/bin/dragoman
  for (fs::path above = folder; above.has_relative_path(); above = above.parent_path())
    if (fs::exists(above / "recipes/data.yaml")) add(above / name);  // of build/release/dragoman
  return folders;
}

}  // namespace dragoman
