#pragma once

#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace dragoman::serve {

// Receives SIGINT, SIGTERM and SIGHUP, whichever thread the system gives them to: libraries start threads of their own,
// so blocking the signals in the others would not do. One at a time in a process.
class Signals {
 public:
  Signals();
  // The signals do again what they did before.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Returns after SIGINT or SIGTERM; calls `reload` after SIGHUP until then, once for those that come meanwhile. From
  // then on, a second one of these ends the program, and SIGHUP does nothing.
  void wait(const std::function<void()>& reload);

 private:
  int woken_ = -1;  // the end of a pipe that the handler writes to
  std::vector<std::pair<int, struct sigaction>> before_;
};

// Ends the program with status 1 if this is not destroyed in time: whatever a request keeps busy, a server that was
// told to stop does.
class StopDeadline {
 public:
  explicit StopDeadline(std::chrono::milliseconds limit);
  ~StopDeadline();
  StopDeadline(const StopDeadline&) = delete;
  StopDeadline& operator=(const StopDeadline&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool met_ = false;
  std::thread thread_;
};

// Raises the limit of open files to the most that this process may have: every connection takes one.
void raise_file_limit();

}  // namespace dragoman::serve
