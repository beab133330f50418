#include "train/divergence_guard.h"

#include <cmath>

namespace dragoman::train {
namespace {

constexpr double kLossMemory = 0.99;  // decay of the running mean per update

}  // namespace

bool DivergenceGuard::has_diverged(const FinishedUpdate& update, const TrainState& state) const {
  if (!std::isfinite(update.sums.loss) || !std::isfinite(update.gradient_norm)) return true;
  if (explosion_ == 0 || update.position.updates <= kUpdatesBeforeExplosions) return false;
  return update.sums.mean_loss() > explosion_ * state.running_loss;
}

void DivergenceGuard::follow(const FinishedUpdate& update, TrainState& state) const {
  const double loss = update.sums.mean_loss();
  state.running_loss =
      update.position.updates == 1 ? loss : kLossMemory * state.running_loss + (1 - kLossMemory) * loss;
}

std::string DivergenceGuard::roll_back(const FinishedUpdate& diverged, TrainState& state,
                                       const std::function<bool()>& load_checkpoint) const {
  const std::string what = fmt::format("update {}: the loss is {:.6g} after a running mean of {:.4g}",
                                       diverged.position.updates, diverged.sums.mean_loss(), state.running_loss);
  check(policy_ == OnDivergence::rollback,
        "{}; training stops here. Earlier checkpoints are in {}/checkpoints. A lower schedule.rate, a longer "
        "schedule.warmup or a smaller optimiser.clip may help; --on-divergence rollback goes back to the newest "
        "checkpoint and halves the rate",
        what, output_);
  check(state.rollbacks < kMostRollbacks, "{}; training stops here after {} rollbacks", what, kMostRollbacks);
  // Loading overwrites `state`, and the checkpoint may be older than earlier rollbacks.
  const double factor = 0.5 * state.rate_factor;
  const int rollbacks = state.rollbacks + 1;
  check(load_checkpoint(), "{}; there is no checkpoint to go back to", what);
  state.rate_factor = factor;
  state.rollbacks = rollbacks;
  return fmt::format("{}; back to update {} with {} of the learning rate", what, state.position.updates, factor);
}

}  // namespace dragoman::train
