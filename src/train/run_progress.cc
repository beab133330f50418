#include "train/run_progress.h"

namespace dragoman::train {

StepReport RunProgress::add(const FinishedUpdate& update, TrainState& state) {
  position_ = update.position;
  rate_ = update.rate;
  log_seconds_ += update.seconds;
  seconds_ += update.seconds;
  state.seconds += update.seconds;
  state.since_log += update.sums;
  state.since_validation += update.sums;
  state.norm_since_log += update.gradient_norm;
  ++state.updates_since_log;
  return report(update.sums, update.gradient_norm, static_cast<double>(update.sums.tokens) / update.seconds);
}

StepReport RunProgress::take_log(TrainState& state) {
  const double norm = state.norm_since_log / static_cast<double>(state.updates_since_log);
  const double speed = log_seconds_ > 0 ? static_cast<double>(state.since_log.tokens) / log_seconds_ : 0;
  const StepReport mean = report(state.since_log, norm, speed);
  state.since_log = {};
  state.norm_since_log = 0;
  state.updates_since_log = 0;
  log_seconds_ = 0;
  return mean;
}

StepReport RunProgress::report(const LossSums& sums, double norm, double tokens_per_second) const {
  const double share = share_done(until_, position_), done_here = share - share_before_;
  return {.position = position_,
          .sums = sums,
          .rate = rate_,
          .gradient_norm = norm,
          .tokens_per_second = tokens_per_second,
          .share_done = share,
          .seconds_left = done_here > 0 ? seconds_ * (1 - share) / done_here : 0};
}

std::string RunProgress::end_reason(const Position& position) const {
  for (const Amount& end : until_)
    if (end.reached(position)) return "reached " + end.show();
  return "";
}

}  // namespace dragoman::train
