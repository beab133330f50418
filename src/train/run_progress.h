#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/observer.h"
#include "train/state.h"
#include "train/update_pipeline.h"

namespace dragoman::train {

// Progress and speed of a run: accumulates updates for the log and estimates the remaining time. The sums since the
// last log are in the TrainState, so that a resumed run logs the same means; speed and usage are those of this process.
class RunProgress {
 public:
  // The run ends at the first of these amounts.
  explicit RunProgress(std::vector<Amount> until) : until_(std::move(until)) {}

  // Sets the position where this process starts training, and the device whose usage is logged.
  void begin(const Position& position, const std::string& device = "cpu");
  // Adds an update to the sums and reports on it alone.
  StepReport add(const FinishedUpdate& update, TrainState& state);
  // Whether to log although the log interval is not over: at every twentieth of the run, so that short runs have a
  // curve, too.
  bool is_milestone(const Position& before, const Position& now) const;
  // Whether this process made updates that are not logged yet.
  bool has_updates_to_log() const { return log_tokens_ > 0; }
  // Returns the means since the last log and resets them.
  StepReport take_log(TrainState& state);

  const std::vector<Amount>& until() const { return until_; }
  bool ended(const Position& position) const { return share_done(until_, position) >= 1; }
  // "reached 5e", or empty if the run is not at its end.
  std::string end_reason(const Position& position) const;

 private:
  StepReport report(const LossSums& sums, double norm, double tokens_per_second, double elapsed) const;

  std::vector<Amount> until_;
  Position position_;                // after the last update
  double rate_ = 0;                  // of the last update
  Waiting waiting_{};                // in the last update
  double log_seconds_ = 0;           // spent on updates since the last log, by this process
  std::uint64_t log_tokens_ = 0;     // of these updates
  std::uint64_t log_updates_ = 0;    // their number
  Traffic log_traffic_{};            // of these updates
  std::optional<UsageMeter> usage_;  // from begin() on
  double seconds_ = 0;               // spent on updates by this process
  double share_before_ = 0;          // fraction of the run done before this process started
};

}  // namespace dragoman::train
