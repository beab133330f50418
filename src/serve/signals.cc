#include "serve/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "base/error.h"
#include "base/log.h"
#include "base/system_reason.h"

namespace dragoman::serve {

namespace {

// What the handler knows. The pipe only wakes the reader, so nothing is lost when it is full.
std::atomic<int> wake_up = -1;
std::atomic<bool> asked_to_stop = false, asked_to_reload = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void note_signal(int signal) {
  const int error = errno;
  (signal == SIGHUP ? asked_to_reload : asked_to_stop) = true;
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = write(wake_up, &byte, 1);
  errno = error;
}

}  // namespace

Signals::Signals() {
  // Never closed: a handler may still be about to write to it when everything else is over.
  static const std::array<int, 2> pipe = [] {
    std::array<int, 2> ends{};
    check(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0, "a pipe cannot be made: {}", system_reason);
    return ends;
  }();
  woken_ = pipe[0];
  wake_up = pipe[1];
  asked_to_stop = asked_to_reload = false;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    auto& [number, before] = before_.emplace_back();
    number = signal;
    sigaction(signal, &action, &before);
  }
}

Signals::~Signals() {
  for (const auto& [signal, before] : before_) sigaction(signal, &before, nullptr);
}

void Signals::wait(const std::function<void()>& reload) {
  while (!asked_to_stop) {
    if (asked_to_reload.exchange(false)) {
      reload();
      continue;
    }
    // A signal always ends poll(), but not read(), where the thread sanitizer would not run the handler.
    pollfd waiting{woken_, POLLIN, 0};
    std::array<char, 256> bytes{};
    if (poll(&waiting, 1, -1) <= 0) continue;
    [[maybe_unused]] const ssize_t count = read(woken_, bytes.data(), bytes.size());
  }
  // One to reload may have come before and still be on its way to another thread.
  for (const auto& [signal, before] : before_)
    if (signal != SIGHUP) sigaction(signal, &before, nullptr);
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
