#pragma once

#include <chrono>

#include "train/observer.h"

namespace dragoman::train {

// What a person at the terminal sees: a live line with a progress bar, a few sample translations at each validation.
// Where stderr is not a terminal, plain lines instead.
class Console final : public Observer {
 public:
  // `samples`: translations to show at each validation.
  explicit Console(int samples);

  void on_start(const RunInfo& info) override;
  void on_update(const StepReport& step) override;
  void on_log(const StepReport& step) override;
  void on_validation(const Validation& validation) override;
  void on_checkpoint(const std::string& path, const Position& position) override;
  void on_remark(const std::string& words, const Position& position) override;
  void on_end(const RunEnd& end) override;

 private:
  using Clock = std::chrono::steady_clock;
  // Takes the live line away, so that something can be printed.
  void clear_line();

  int samples_;
  bool terminal_, drawn_ = false;
  Clock::time_point last_drawn_;
};

// "epoch 2.50  update 1,234  loss 3.210  ppl 24.8 ..." without the bar.
std::string describe(const StepReport& step);

}  // namespace dragoman::train
