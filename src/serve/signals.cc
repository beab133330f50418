#include "serve/signals.h"

#include <sys/resource.h>

#include <cstdlib>

#include "base/log.h"

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

StopDeadline::StopDeadline(std::chrono::milliseconds limit) {
  thread_ = std::thread([this, limit] {
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, limit, [this] { return met_; })) return;
    log::error("work that does not end was given up");
    std::_Exit(1);
  });
}

StopDeadline::~StopDeadline() {
  {
    const std::lock_guard lock(mutex_);
    met_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace dragoman::serve
