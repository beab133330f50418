#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "tests/support/temp_folder.h"
#include "tests/support/usual_signals.h"

// Runs the program as users do.
namespace dragoman::cli {

struct Outcome {
  int status = -1;
  std::string out, err;

  // Standard output and error together.
  std::string said() const { return out + err; }
};

// Runs `dragoman ARGUMENTS` in `folder`, through the shell.
inline Outcome run_program(const support::TempFolder& folder, const std::string& arguments) {
  const support::TempFolder own;
  const std::string command =
      "cd '" + folder.path() + "' && '" DRAGOMAN_PROGRAM "' " + arguments + " 2>'" + own.file("stderr") + "'";
  Outcome outcome;
  std::FILE* const pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.out.append(buffer, count);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.err = support::read_all(own.file("stderr"));
  return outcome;
}

}  // namespace dragoman::cli
