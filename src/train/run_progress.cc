#include "train/run_progress.h"

#include <cmath>

namespace dragoman::train {
namespace {

constexpr double kMilestones = 20;  // points that the curve of a run has at least

}  // namespace

void RunProgress::begin(const Position& position, const std::string& device) {
  share_before_ = share_done(until_, position);
  usage_.emplace(device);
}

bool RunProgress::is_milestone(const Position& before, const Position& now) const {
  return std::floor(kMilestones * share_done(until_, now)) > std::floor(kMilestones * share_done(until_, before));
}

StepReport RunProgress::add(const FinishedUpdate& update, TrainState& state) {
  position_ = update.position;
  rate_ = update.rate;
  waiting_ = update.waiting;
  log_traffic_ += update.traffic;
  ++log_updates_;
  log_seconds_ += update.seconds;
  log_tokens_ += update.sums.tokens;
  seconds_ += update.seconds;
  state.seconds += update.seconds;
  state.since_log += update.sums;
  state.since_validation += update.sums;
  state.norm_since_log += update.gradient_norm;
  ++state.updates_since_log;
  if (usage_) usage_->sample();
  StepReport one = report(update.sums, update.gradient_norm, static_cast<double>(update.sums.tokens) / update.seconds,
                          state.seconds);
  one.traffic = update.traffic;
  return one;
}

StepReport RunProgress::take_log(TrainState& state) {
  const double norm = state.norm_since_log / static_cast<double>(state.updates_since_log);
  const double speed = log_seconds_ > 0 ? static_cast<double>(log_tokens_) / log_seconds_ : 0;
  StepReport mean = report(state.since_log, norm, speed, state.seconds);
  if (usage_) mean.usage = usage_->take();
  mean.traffic = log_traffic_.per_update(log_updates_);
  log_traffic_ = {};
  log_updates_ = 0;
  state.since_log = {};
  state.norm_since_log = 0;
  state.updates_since_log = 0;
  log_seconds_ = 0;
  log_tokens_ = 0;
  return mean;
}

StepReport RunProgress::report(const LossSums& sums, double norm, double tokens_per_second, double elapsed) const {
  const double share = share_done(until_, position_), done_here = share - share_before_;
  return {.position = position_,
          .sums = sums,
          .rate = rate_,
          .gradient_norm = norm,
          .tokens_per_second = tokens_per_second,
          .share_done = share,
          .seconds_left = done_here > 0 ? seconds_ * (1 - share) / done_here : 0,
          .elapsed = elapsed,
          .waiting = waiting_};
}

std::string RunProgress::end_reason(const Position& position) const {
  for (const Amount& end : until_)
    if (end.reached(position)) return "reached " + end.show();
  return "";
}

}  // namespace dragoman::train
