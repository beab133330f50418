#pragma once

#include "align/position_model.h"

namespace dragoman::align {

// IBM Model 2 with one parameter: p(i | j) ∝ exp(-tension · |x_i - x_j|), where x are positions relative to sentence
// length, so links near the diagonal are more probable (Dyer, Chahuneau, Smith: "A Simple, Fast, and Effective
// Reparameterization of IBM Model 2", NAACL 2013). The tension is learned.
class Model2 final : public PositionModel {
 public:
  // `parameters`: the tension.
  Model2(double null, std::span<const double> parameters);

  AlignmentKind kind() const override { return AlignmentKind::model2; }
  double posteriors(const PairMatrix& emissions, PairMatrix& posteriors, std::span<double> statistics) const override;
  std::size_t statistics() const override { return 2; }
  void update(std::span<const double> statistics) override;
  std::vector<double> parameters() const override { return {tension_}; }
  std::string describe() const override;

 private:
  double tension_;
};

}  // namespace dragoman::align
