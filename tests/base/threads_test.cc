#include "base/threads.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace dragoman::threads {
namespace {

TEST(Threads, SplitCoversEveryIndexOnce) {
  for (const int n : {0, 1, 2, 7, 64, 1000, 12345}) {
    std::vector<int> hits(static_cast<std::size_t>(n));
    split(n, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
    });
    for (const int hit : hits) EXPECT_EQ(hit, 1);
  }
}

TEST(Threads, ManyShortLoopsInARowRunCompletely) {
  set_count(4);
  std::atomic<std::int64_t> sum = 0;
  for (int round = 0; round < 5000; ++round) each(8, [&](std::int64_t i) { sum += i; });
  set_count(0);
  EXPECT_EQ(sum, 5000 * 28);
}

#ifndef DRAGOMAN_SANITIZED  // the thread sanitizer starts no threads after a fork
// As a program of Python does with multiprocessing.
TEST(Threads, AForkedProcessHasThreadsOfItsOwn) {
  set_count(3);
  std::atomic<std::int64_t> sum = 0;
  each(8, [&](std::int64_t i) { sum += i; });
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    each(8, [&](std::int64_t i) { sum += i; });
    std::exit(sum == 56 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  set_count(0);
}
#endif

// A thread that runs loops until its owner is destroyed, as the decoder of a Translator does.
class Looping {
 public:
  ~Looping() {
    ends_ = true;
    thread_.join();
  }
  void start() {
    thread_ = std::thread([this] {
      while (!ends_) each(8, [this](std::int64_t) { ++pieces_; });
    });
    while (pieces_ < 1000) std::this_thread::yield();
  }

 private:
  std::atomic<bool> ends_ = false;
  std::atomic<int> pieces_ = 0;
  std::thread thread_;
};

[[noreturn]] void exit_during_loops() {
  alarm(20);               // ends a process that hangs
  static Looping looping;  // is there before the pool
  set_count(2);
  looping.start();
  std::exit(0);
}

TEST(ThreadsDeathTest, LoopsMayRunWhileTheProcessExits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_during_loops(), testing::ExitedWithCode(0), "");
}

TEST(Threads, LoopsInsideLoopsAndFromOtherThreadsWork) {
  set_count(3);
  std::atomic<int> total = 0;
  const auto nested = [&] {
    for (int round = 0; round < 100; ++round)
      each(5, [&](std::int64_t) {
        split(10, 1, [&](std::int64_t begin, std::int64_t end) { total += static_cast<int>(end - begin); });
      });
  };
  std::thread other(nested);
  nested();
  other.join();
  set_count(0);
  EXPECT_EQ(total, 2 * 100 * 5 * 10);
}

TEST(Threads, AnExceptionReachesTheCallerAndThePoolSurvives) {
  set_count(4);
  EXPECT_THROW(each(100,
                    [](std::int64_t i) {
                      if (i == 42) throw std::runtime_error("42");
                    }),
               std::runtime_error);
  std::atomic<int> count = 0;
  each(100, [&](std::int64_t) { ++count; });
  set_count(0);
  EXPECT_EQ(count, 100);
}

std::atomic<bool> is_held = false, is_released = false;
void hold_thread(int) {
  is_held = true;
  while (!is_released) usleep(1000);
}

TEST(Threads, ALoopDoesNotWaitForAThreadThatDoesNotRun) {
  set_count(2);
  const pthread_t caller = pthread_self();
  std::atomic<pthread_t> other = caller;
  each(2, [&](std::int64_t) {
    if (pthread_self() != caller) other = pthread_self();
    while (other == caller) std::this_thread::yield();
  });
  usleep(50'000);  // until it sleeps
  struct sigaction hold = {}, before = {};
  hold.sa_handler = hold_thread;
  sigaction(SIGUSR1, &hold, &before);
  pthread_kill(other, SIGUSR1);
  while (!is_held) std::this_thread::yield();
  std::atomic<int> count = 0;
  each(100, [&](std::int64_t) { ++count; });
  is_released = true;
  EXPECT_EQ(count, 100);
  each(100, [&](std::int64_t) { ++count; });
  EXPECT_EQ(count, 200);
  sigaction(SIGUSR1, &before, nullptr);
  set_count(0);
}

TEST(Threads, ASerialScopeKeepsLoopsOnTheirThread) {
  set_count(4);
  {
    SerialScope scope;
    const auto self = std::this_thread::get_id();
    each(50, [&](std::int64_t) { EXPECT_EQ(std::this_thread::get_id(), self); });
    EXPECT_EQ(count(), 1);
  }
  EXPECT_EQ(count(), 4);
  set_count(0);
}

TEST(Threads, ALimitScopeBoundsTheThreadsOfLoopsAndNeverRaisesAnOuterLimit) {
  set_count(4);
  {
    const LimitScope scope(2);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    const auto note = [&] {
      std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    };
    for (int round = 0; round < 20; ++round) {
      each(50, [&](std::int64_t) { note(); });
      split(50, 1, [&](std::int64_t, std::int64_t) { note(); });
      EXPECT_LE(seen.size(), 2u);
    }
    const LimitScope wider(3);
    EXPECT_EQ(count(), 2);
  }
  EXPECT_EQ(count(), 4);
  set_count(0);
}

}  // namespace
}  // namespace dragoman::threads
