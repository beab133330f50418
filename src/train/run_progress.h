#pragma once

#include <string>
#include <vector>

#include "train/observer.h"
#include "train/state.h"
#include "train/update_pipeline.h"

namespace dragoman::train {

// Progress and speed of a run: accumulates updates for the log and estimates the remaining time. The sums since the
// last log are in the TrainState, so that a resumed run logs the same means; times count this process only.
class RunProgress {
 public:
  // The run ends at the first of these amounts.
  explicit RunProgress(std::vector<Amount> until) : until_(std::move(until)) {}

  // Sets the position where this process starts training.
  void begin(const Position& position) { share_before_ = share_done(until_, position); }
  // Adds an update to the sums and reports on it alone.
  StepReport add(const FinishedUpdate& update, TrainState& state);
  // Returns the means since the last log and resets them.
  StepReport take_log(TrainState& state);

  const std::vector<Amount>& until() const { return until_; }
  bool ended(const Position& position) const { return share_done(until_, position) >= 1; }
  // "reached 5e", or empty if the run is not at its end.
  std::string end_reason(const Position& position) const;

 private:
  StepReport report(const LossSums& sums, double norm, double tokens_per_second) const;

  std::vector<Amount> until_;
  Position position_;        // after the last update
  double rate_ = 0;          // of the last update
  double log_seconds_ = 0;   // spent on updates since the last log
  double seconds_ = 0;       // spent on updates by this process
  double share_before_ = 0;  // fraction of the run done before this process started
};

}  // namespace dragoman::train
