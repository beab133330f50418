#pragma once

#include <string>
#include <vector>

#include "data/corpus.h"

namespace dragoman::run {

// A file of a command and how its user names it: --input, or SOURCE for an argument without a flag. An empty path is no
// file; - is standard input or output.
struct NamedFile {
  std::string name, path;
};

// One entry per path.
std::vector<NamedFile> named_files(const std::string& name, const std::vector<std::string>& paths);
std::vector<NamedFile> named_files(const data::CorpusOptions& corpus);

// For the beginning of a command, before it computes anything. Throws Error if an output is a folder or cannot be
// created where it is to be, or if it is also an input or another output, under whatever name: writing would destroy
// what the user still needs. Devices and pipes may be both. Commands whose output may replace their input, such as
// `filter`, name no inputs.
void check_output_files(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

}  // namespace dragoman::run
