#pragma once

#include <vector>

#include "train/buffer.h"
#include "train/sharding.h"
#include "train/task.h"

namespace dragoman::train {

// The losses of the parts of an update and the squares of the slices of its gradient, in device memory. Each rank
// writes its own; add_up() sums those of all ranks in a fixed order. A process that trains without parts writes the
// totals themselves.
class UpdateTotals {
 public:
  // `losses` and `squares` receive the totals.
  UpdateTotals(const Team& team, const Sharding& sharding, const LossTotals& losses, const Tensor& squares);

  // Of each part of this rank.
  const std::vector<LossTotals>& losses() const { return own_losses_; }
  void clear() const;
  // `gradients` have been reduced. Called by all ranks.
  void add_up(const Tensor& gradients) const;

 private:
  Team team_;
  const Sharding& sharding_;
  LossTotals losses_;
  Tensor squares_;
  Buffer sums_;  // f64: loss and negative log-likelihood of each part, then the squares; rows of other ranks are zero
  std::vector<LossTotals> own_losses_;
};

}  // namespace dragoman::train
