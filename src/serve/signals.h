#pragma once

#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace dragoman::serve {

// Blocks SIGINT, SIGTERM and SIGHUP in this thread and in those that it starts later, so that wait() receives them.
class Signals {
 public:
  Signals();
  // Unblocks them.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Returns after SIGINT or SIGTERM; calls `reload` for every SIGHUP until then. From then on, a second signal ends the
  // program.
  void wait(const std::function<void()>& reload);

 private:
  sigset_t set_{}, before_{};
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
