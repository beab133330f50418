#pragma once

#include <signal.h>

// Tests send signals to themselves and to programs that they start, whatever the process that has started the tests
// ignores or blocks (nohup, setsid, a shell's background job).
namespace dragoman::support {

inline const bool has_usual_signals = [] {
  for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(one, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  return sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}();

}  // namespace dragoman::support
