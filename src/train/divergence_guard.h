#pragma once

#include <functional>
#include <string>

#include "train/options.h"
#include "train/state.h"
#include "train/update_pipeline.h"

namespace dragoman::train {

// Detects diverged updates and applies the policy: stop the run, or roll back to the newest checkpoint with half the
// learning rate. Its state (running mean of the loss, rate factor, number of rollbacks) is in the TrainState.
class DivergenceGuard {
 public:
  static constexpr int kMostRollbacks = 10;
  // Early losses fall too fast for their running mean to detect an explosion.
  static constexpr std::uint64_t kUpdatesBeforeExplosions = 50;

  explicit DivergenceGuard(const TrainOptions& options)
      : policy_(options.on_divergence), explosion_(options.explosion), output_(options.output) {}

  // Whether the loss or the gradient is not finite, or the loss has exploded.
  bool has_diverged(const FinishedUpdate& update, const TrainState& state) const;
  // Adds the loss of a good update to the running mean.
  void follow(const FinishedUpdate& update, TrainState& state) const;
  // Restores `state` and the rest of the run by `load_checkpoint`, which returns false if there is no checkpoint, and
  // halves the rate. Returns a remark for the log. Throws if the policy is to stop, after kMostRollbacks rollbacks, and
  // without a checkpoint.
  std::string roll_back(const FinishedUpdate& diverged, TrainState& state,
                        const std::function<bool()>& load_checkpoint) const;

 private:
  OnDivergence policy_;
  double explosion_;
  std::string output_;
};

}  // namespace dragoman::train
