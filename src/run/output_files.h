#pragma once

#include <string>
#include <vector>

namespace dragoman::run {

// A file of a command and the flag that names it. An empty path is no file; - is standard input or output.
struct NamedFile {
  std::string flag, path;
};

// Throws Error if an output is also an input or another output, under whatever name: writing would destroy what is
// still to be read. Devices and pipes may be both.
void check_output_conflicts(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

}  // namespace dragoman::run
