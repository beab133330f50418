#pragma once

#include <string>
#include <vector>

namespace dragoman {

// The path of the running program.
std::string this_program();

// The folders called `name` that come with the program: beside it, of its installation (PREFIX/share/dragoman), and of
// the source tree that it was built in. Only folders that exist. `program` may also be a module that another program
// has loaded.
std::vector<std::string> program_folders(const std::string& name, const std::string& program = this_program());

}  // namespace dragoman
