#pragma once

#include <functional>
#include <string>

#include "train/options.h"
#include "train/state.h"
#include "train/update_pipeline.h"

namespace dragoman::train {

// Notices updates that diverged and decides what follows: the end of the run, or a rollback to the newest checkpoint
// with half the learning rate. What it remembers (running mean of the loss, rate factor, number of rollbacks) is in
// the TrainState.
class DivergenceGuard {
 public:
  static constexpr int kMostRollbacks = 10;
  // Early losses fall too fast for their mean to be a measure of an explosion.
  static constexpr std::uint64_t kUpdatesBeforeExplosions = 50;

  explicit DivergenceGuard(const TrainOptions& options)
      : policy_(options.on_divergence), explosion_(options.explosion), output_(options.output) {}

  // Whether the loss or the gradient is not finite, or the loss has exploded.
  bool has_diverged(const FinishedUpdate& update, const TrainState& state) const;
  // Adds the loss of a good update to the running mean.
  void follow(const FinishedUpdate& update, TrainState& state) const;
  // Restores `state` (and what belongs to it) by `load_checkpoint`, which returns false when there is no checkpoint,
  // and halves the rate. Returns a remark that says what happened. Throws when the policy is to stop, after
  // kMostRollbacks rollbacks, and without a checkpoint.
  std::string roll_back(const FinishedUpdate& diverged, TrainState& state,
                        const std::function<bool()>& load_checkpoint) const;

 private:
  OnDivergence policy_;
  double explosion_;
  std::string output_;
};

}  // namespace dragoman::train
