#pragma once

#include "align/position_model.h"

namespace dragoman::align {

// The HMM alignment model: where a word's partner stands depends on where the previous word's stood, by the signed
// distance between them (Vogel, Ney, Tillmann: "HMM-Based Word Alignment in Statistical Translation", COLING 1996).
// p(i' | i) = jump(i' - i) / Σ over the positions of the sentence. A word produced by none keeps the previous position
// (Och, Ney 2003). The first word jumps from the place before the sentence.
class Hmm final : public PositionModel {
 public:
  // Distances beyond it count as this one.
  static constexpr int kReach = 24;
  static constexpr int kJumps = 2 * kReach + 1;

  // `parameters`: weights of the jumps -kReach .. kReach.
  Hmm(double null, std::span<const double> parameters);

  PositionKind kind() const override { return PositionKind::hmm; }
  double posteriors(const PairMatrix& emissions, PairMatrix& posteriors, std::span<double> statistics) const override;
  std::size_t statistics() const override;
  void update(std::span<const double> statistics) override;
  std::vector<double> parameters() const override { return jumps_; }
  std::string describe() const override;

 private:
  std::vector<double> jumps_;  // weights; only their ratios matter
};

}  // namespace dragoman::align
