#include "recipe/board.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/log.h"
#include "base/progress.h"

namespace dragoman::recipe {
namespace {

constexpr std::chrono::milliseconds kRedraw{250}, kPrint{30'000};

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A terminal that was closed is no reason to stop.
void write(const std::string& text) { std::fputs(text.c_str(), stderr); }

std::string count(std::uint64_t value) { return with_commas(static_cast<std::int64_t>(value)); }

}  // namespace

Board::Board() : terminal_(isatty(STDERR_FILENO) != 0), last_(Clock::now()) {}

Board::~Board() { clear(); }

void Board::on_step(const Job& job, std::size_t step) {
  const std::lock_guard lock(mutex_);
  Line now{&job, step, Clock::now(), TrainingLog(job.steps[step].run + "/log.jsonl"), -1};
  const auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& other) { return other.job == &job; });
  if (line == lines_.end())
    lines_.push_back(std::move(now));
  else
    *line = std::move(now);
  if (!terminal_) log::info("{}: step {} of {}, {}", job.name, step + 1, job.steps.size(), job.steps[step].title);
}

void Board::on_end(const Job& job) {
  const std::lock_guard lock(mutex_);
  lines_.remove_if([&](const Line& line) { return line.job == &job; });
}

void Board::info(const std::string& text) { print(text, false); }
void Board::error(const std::string& text) { print(text, true); }

void Board::print(const std::string& text, bool is_error) {
  const std::lock_guard lock(mutex_);
  clear();
  if (is_error)
    log::error("{}", text);
  else
    log::info("{}", text);
  if (terminal_) draw();
}

void Board::refresh() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now - last_ < (terminal_ ? kRedraw : kPrint)) return;
  last_ = now;
  clear();
  draw();
}

std::string Board::words(Line& line) {
  const Step& step = line.job->steps[line.step];
  const double elapsed = std::chrono::duration<double>(Clock::now() - line.start).count();
  std::string text =
      fmt::format("{}  step {} of {}, {}", line.job->name, line.step + 1, line.job->steps.size(), step.title);
  double left = 0;
  if (!step.run.empty() && line.log.update()) {
    const TrainingLog& log = line.log;
    if (line.first_share < 0) line.first_share = log.share();
    text += fmt::format("  epoch {:.2f}  update {}  loss {:.3f}  {} tokens/s", log.position().epochs,
                        count(log.position().updates), log.loss(),
                        count(static_cast<std::uint64_t>(log.tokens_per_second())));
    if (log.share() > line.first_share) left = elapsed * (1 - log.share()) / (log.share() - line.first_share);
  }
  text += "  " + clock_time(elapsed);
  if (left > 0) text += fmt::format(", {} left", clock_time(left));
  return text;
}

void Board::clear() {
  if (drawn_ > 0) write(fmt::format("\r\033[{}A\033[J", drawn_));
  drawn_ = 0;
}

void Board::draw() {
  const std::size_t width = terminal_ ? terminal_width() - 1 : std::string::npos;
  for (Line& line : lines_) {
    write(fmt::format("  {}\n", words(line).substr(0, width == std::string::npos ? width : width - 2)));
    if (terminal_) ++drawn_;
  }
  std::fflush(stderr);
}

}  // namespace dragoman::recipe
