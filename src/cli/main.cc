#include <cstdio>
#include <exception>

#include "base/log.h"
#include "base/version.h"
#include "cli/command.h"

namespace dragoman::cli {
namespace {

void print_usage(std::FILE* out) {
  fmt::print(out, "dragoman {}: neural machine translation in one program\n\nusage: dragoman COMMAND ...\n\n",
             DRAGOMAN_VERSION);
  for (const Command& command : commands()) fmt::print(out, "  {:<12} {}\n", command.name, command.summary);
  fmt::print(out, "\n`dragoman COMMAND --help` lists a command's settings.\n");
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_usage(stderr);
    return 2;
  }
  const std::string& word = arguments[0];
  if (word == "--help" || word == "-h" || word == "help") {
    print_usage(stdout);
    return 0;
  }
  if (word == "--version") {
    fmt::print("dragoman {}\n", DRAGOMAN_VERSION);
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (word == command.name) return command.run(command, {arguments.begin() + 1, arguments.end()});
    names.push_back(command.name);
  }
  const std::string near = nearest(word, names);
  fail("unknown command '{}'{}", word, near.empty() ? "; `dragoman help` lists all" : "; did you mean '" + near + "'?");
}

}  // namespace
}  // namespace dragoman::cli

int main(int argc, char** argv) {
  try {
    return dragoman::cli::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    dragoman::log::error("{}", error.what());
    return 1;
  }
}
