#pragma once

#include "align/position_model.h"

namespace dragoman::align {

// The HMM alignment model: the position a word is aligned to depends on the previous word's, through the signed
// distance between them (Vogel, Ney, Tillmann: "HMM-Based Word Alignment in Statistical Translation", COLING 1996).
// p(i' | i) = jump(i' - i), normalised over the positions of the sentence. A word aligned to NULL keeps the previous
// position (Och, Ney 2003). The first word jumps from position -1.
class Hmm final : public PositionModel {
 public:
  // Longer jumps share the parameter of the longest.
  static constexpr int kReach = 24;
  static constexpr int kJumps = 2 * kReach + 1;

  // `parameters`: weights of the jumps -kReach .. kReach.
  Hmm(double null, std::span<const double> parameters);

  AlignmentKind kind() const override { return AlignmentKind::hmm; }
  double posteriors(const PairMatrix& emissions, PairMatrix& posteriors, std::span<double> statistics) const override;
  std::size_t statistics() const override;
  void update(std::span<const double> statistics) override;
  std::vector<double> parameters() const override { return jumps_; }
  std::string describe() const override;

 private:
  std::vector<double> jumps_;  // weights; only their ratios matter
};

}  // namespace dragoman::align
