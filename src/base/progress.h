#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace dragoman {

// A progress bar on stderr for long jobs: percentage, count, rate, remaining time. On a terminal it redraws one line;
// otherwise it prints a plain line from time to time. Prints nothing for jobs that end within half a second, and
// nothing at all if log messages of the level info are dropped.
class Progress {
 public:
  // `total` 0 means unknown: no bar, only count and rate.
  Progress(std::string what, std::int64_t total, std::string unit = "lines");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Thread-safe; cheap enough to call every few thousand items.
  void advance(std::int64_t items = 1);
  // Text shown after the numbers, such as the current loss.
  void note(std::string words);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(Clock::time_point now, bool last);

  std::mutex mutex_;
  std::string what_, unit_, note_;
  std::int64_t total_, done_ = 0;
  Clock::time_point start_, drawn_;
  bool terminal_, shown_ = false, finished_ = false;
};

// 1234567 as "1,234,567".
std::string with_commas(std::int64_t value);
// Seconds as "12 s", "3:05" or "2:03:04".
std::string clock_time(double seconds);

}  // namespace dragoman
