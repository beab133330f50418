#pragma once

#include <chrono>

#include "train/observer.h"

namespace dragoman::train {

// Terminal output: a live line with a progress bar, and sample translations at each validation. Prints plain lines if
// stderr is not a terminal.
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
  // Erases the live line before other output.
  void clear_line();

  int samples_;
  bool terminal_, drawn_ = false, validated_ = false;
  Clock::time_point last_drawn_;
};

// "epoch 2.50  update 1,234  loss 3.210  ppl 24.8 ..." without the bar.
std::string describe(const StepReport& step);

}  // namespace dragoman::train
