#include "serve/signals.h"

#include <sys/resource.h>

namespace dragoman::serve {

Signals::Signals() {
  sigemptyset(&set_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, signal);
  pthread_sigmask(SIG_BLOCK, &set_, &before_);
}

Signals::~Signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void Signals::wait(const std::function<void()>& reload) {
  for (int signal = 0;;) {
    if (sigwait(&set_, &signal) != 0) continue;
    if (signal == SIGHUP) {
      reload();
      continue;
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    return;
  }
}

void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace dragoman::serve
