#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <string>

#include "recipe/plan.h"
#include "recipe/training_log.h"

namespace dragoman::recipe {

// Shows the running jobs on stderr. On a terminal, a line per job is redrawn below the messages; otherwise the lines
// are printed from time to time. Thread-safe.
class Board {
 public:
  Board();
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  void on_step(const Job& job, std::size_t step);
  void on_end(const Job& job);
  // Messages for the log.
  void info(const std::string& text);
  void error(const std::string& text);
  // Redraws if it is time to. Call several times a second.
  void refresh();

 private:
  using Clock = std::chrono::steady_clock;
  struct Line {
    const Job* job;
    std::size_t step;
    Clock::time_point start;
    TrainingLog log;
    double first_share;  // of the training run that was done at the start; negative: not known yet
  };

  static std::string words(Line& line);
  void clear();
  void draw();
  void print(const std::string& text, bool is_error);

  std::mutex mutex_;
  std::list<Line> lines_;
  bool terminal_;
  std::size_t drawn_ = 0;  // lines on the terminal
  Clock::time_point last_;
};

}  // namespace dragoman::recipe
