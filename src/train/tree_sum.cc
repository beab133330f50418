#include "train/tree_sum.h"

#include <bit>

#include "train/flat.h"

namespace dragoman::train {

TreeSum::TreeSum(const Tensor& term, int terms) : term_(term) {
  for (int level = 1; level < terms; level *= 2) sums_.emplace_back(term.device(), term.dtype(), term.count());
}

// Adding 1 to a binary counter: every carry is one addition.
void TreeSum::add() {
  const auto carries = static_cast<std::size_t>(std::countr_one(added_));
  for (std::size_t level = 0; level < carries; ++level) combine(term_, 1, sums_[level].tensor(), 1, term_);
  if (carries < sums_.size()) copy(sums_[carries].tensor(), term_);
  ++added_;
}

}  // namespace dragoman::train
