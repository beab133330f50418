#include "base/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/log.h"

namespace dragoman {

using std::chrono::duration;
using std::chrono::milliseconds;

Progress::Progress(std::string what, std::int64_t total, std::string unit)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      start_(Clock::now()),
      drawn_(start_),
      terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { finish(); }

void Progress::advance(std::int64_t items) {
  std::lock_guard lock(mutex_);
  done_ += items;
  if (!log::shows(log::Level::info)) return;
  const auto now = Clock::now();
  const auto interval = !shown_ ? milliseconds(500) : terminal_ ? milliseconds(100) : milliseconds(10'000);
  if (now - drawn_ >= interval) draw(now, false);
}

void Progress::note(std::string words) {
  std::lock_guard lock(mutex_);
  note_ = std::move(words);
}

void Progress::finish() {
  std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  if (shown_) draw(Clock::now(), true);
}

void Progress::draw(Clock::time_point now, bool last) {
  const double elapsed = duration<double>(now - start_).count();
  const double rate = elapsed > 0 ? static_cast<double>(done_) / elapsed : 0;
  std::string line = what_ + " ";
  if (total_ > 0) {
    constexpr int kWidth = 24;
    const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
    const int filled = static_cast<int>(share * kWidth);
    if (terminal_) line += fmt::format("[{:=<{}}{:<{}}] ", "", filled, "", kWidth - filled);
    line += fmt::format("{:3.0f} % ", 100 * share);
  }
  line += with_commas(done_);
  if (total_ > 0) line += " of " + with_commas(total_);
  line += " " + unit_;
  if (rate >= 1) line += fmt::format(", {}/s", with_commas(static_cast<std::int64_t>(rate)));
  if (last)
    line += fmt::format(", {}", clock_time(elapsed));
  else if (total_ > done_ && rate > 0)
    line += fmt::format(", {} left", clock_time(static_cast<double>(total_ - done_) / rate));
  if (!note_.empty()) line += "  " + note_;
  if (terminal_)
    fmt::print(stderr, "\r\033[K{}{}", line, last ? "\n" : "");
  else
    fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
  drawn_ = now;
  shown_ = true;
}

std::string with_commas(std::int64_t value) {
  std::string digits = std::to_string(value);
  const int first = value < 0 ? 1 : 0;
  for (int at = static_cast<int>(digits.size()) - 3; at > first; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string clock_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 60) return seconds < 10 ? fmt::format("{:.1f} s", seconds) : fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace dragoman
