#include "train/stop_signal.h"

#include <signal.h>
#include <time.h>

#include <atomic>
#include <cstdint>

namespace dragoman::train {
namespace {

volatile sig_atomic_t received_signal = 0;
std::atomic<std::int64_t> first_time = 0;
struct sigaction before_interrupt, before_terminate, before_hangup;

constexpr std::int64_t kSecond = 1'000'000'000;  // nanoseconds

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

void note(int signal) {
  const std::int64_t time = now();
  std::int64_t first = 0;
  if (first_time.compare_exchange_strong(first, time)) {
    received_signal = signal;
  } else if (time - first >= kSecond) {
    ::signal(signal, SIG_DFL);
    raise(signal);  // delivered when the handler returns
  }
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  first_time = 0;
  struct sigaction action {};
  action.sa_handler = note;
  sigaction(SIGINT, &action, &before_interrupt);
  sigaction(SIGTERM, &action, &before_terminate);
  sigaction(SIGHUP, nullptr, &before_hangup);
  if (before_hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &before_interrupt, nullptr);
  sigaction(SIGTERM, &before_terminate, nullptr);
  sigaction(SIGHUP, &before_hangup, nullptr);
}

int StopSignal::received() { return received_signal; }

}  // namespace dragoman::train
