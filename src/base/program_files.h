#pragma once

#include <string>
#include <vector>

namespace dragoman {

// The path of the running program.
std::string this_program();

// The folders called `name` that come with the program: of its installation (PREFIX/share/dragoman), and of the source
// tree that it was built in. Only folders that exist.
std::vector<std::string> program_folders(const std::string& name);

}  // namespace dragoman
