// What the process of a server obeys: signals, and the time to stop.
#include "serve/signals.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace dragoman::serve::test {
namespace {

using std::chrono::milliseconds;

// A thread that was there before, as those of libraries are, and that signals are sent to.
class OlderThread {
 public:
  // Sleeps, because the thread sanitizer delivers signals only to threads that sleep or call the system.
  OlderThread()
      : thread_([this] {
          while (!ended_) std::this_thread::sleep_for(milliseconds(1));
        }) {}
  ~OlderThread() {
    ended_ = true;
    thread_.join();
  }
  OlderThread(const OlderThread&) = delete;
  OlderThread& operator=(const OlderThread&) = delete;
  void receive(int signal) { pthread_kill(thread_.native_handle(), signal); }

 private:
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

TEST(Signals, AreReceivedWhicheverThreadGetsThem) {
  for (const int stop : {SIGTERM, SIGINT}) {
    OlderThread older;
    Signals signals;
    int reloads = 0;
    older.receive(SIGHUP);
    signals.wait([&] {
      if (++reloads == 1) older.receive(SIGHUP);
      if (reloads == 2) older.receive(stop);
    });
    EXPECT_EQ(reloads, 2);
  }
}

TEST(Signals, ThousandsOfThemDoNotHideTheOneThatStops) {
  Signals signals;
  for (int i = 0; i < 100'000; ++i) raise(SIGHUP);
  raise(SIGTERM);
  int reloads = 0;
  signals.wait([&] { ++reloads; });
  EXPECT_LE(reloads, 1);
}

TEST(StopDeadline, EndsAProgramThatDoesNotEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto hang = [] {
    const StopDeadline deadline(milliseconds(10));
    for (;;) std::this_thread::sleep_for(milliseconds(100));
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(1), "given up");
}

TEST(StopDeadline, LeavesAloneWhatEndsInTime) {
  const auto begin = std::chrono::steady_clock::now();
  { const StopDeadline deadline(std::chrono::minutes(1)); }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace dragoman::serve::test
