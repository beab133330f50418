#include "train/update_totals.h"

namespace dragoman::train {

UpdateTotals::UpdateTotals(const Team& team, const Sharding& sharding, const LossTotals& losses, const Tensor& squares)
    : team_(team), sharding_(sharding), losses_(losses), squares_(squares) {
  if (team.is_single()) {
    own_losses_ = {losses};
    return;
  }
  sums_ = Buffer(squares.device(), DType::f64, 2 * team.parts + sharding.slices());
  for (int part = team.first(); part < team.first() + team.width(); ++part)
    own_losses_.push_back({sums_.rows(2 * part, 2)});
}

void UpdateTotals::clear() const {
  if (sums_.defined()) sums_.tensor().clear();
}

// All but one of the terms that all_reduce() adds are zero, so their order does not matter.
void UpdateTotals::add_up(const Tensor& gradients) const {
  if (!sums_.defined()) return sharding_.sum_squares(gradients, squares_);
  const Tensor squares = sums_.rows(2 * team_.parts, sharding_.slices());
  sharding_.sum_squares(gradients, squares);
  team_.comm.all_reduce(sums_.tensor());
  losses_.both.clear();
  squares_.clear();
  for (int part = 0; part < team_.parts; ++part) {
    add_sum(sums_.rows(2 * part, 1), 1, losses_.loss());
    add_sum(sums_.rows(2 * part + 1, 1), 1, losses_.nll());
  }
  add_sum(squares, 1, squares_);
}

}  // namespace dragoman::train
