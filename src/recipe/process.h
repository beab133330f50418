#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "recipe/command_line.h"

namespace dragoman::recipe {

// A command running as a child process of this program. Standard input is empty; standard error goes to the end of a
// log file, and so does standard output unless the command names a file for it, which then appears as a whole when the
// command has succeeded.
//
// The child does not outlive its parent: it gets SIGTERM when the thread that started it ends. It is in a process group
// of its own, so that an interrupt from the keyboard reaches only the parent, which decides.
class Process {
 public:
  Process(const CommandLine& command, const std::string& log);
  // Terminates the child if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The exit status if the child has ended, 128 + N after signal N; nothing while it runs.
  std::optional<int> ended();
  // Waits for the end.
  int wait();
  // Asks the child to end (SIGTERM); `train` saves a checkpoint first. Only the first call has an effect.
  void terminate();

 private:
  int finish(int status);

  CommandLine command_;
  pid_t child_ = -1;  // -1: has ended
  int status_ = -1;
  bool terminated_ = false;
};

}  // namespace dragoman::recipe
