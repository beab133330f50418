#pragma once

#include "align/position_model.h"

namespace dragoman::align {

// IBM Model 1: all positions are equally probable (Brown, Della Pietra, Della Pietra, Mercer: "The Mathematics of
// Statistical Machine Translation", 1993).
class Model1 final : public PositionModel {
 public:
  using PositionModel::PositionModel;

  AlignmentKind kind() const override { return AlignmentKind::model1; }
  double posteriors(const PairMatrix& emissions, PairMatrix& posteriors, std::span<double> statistics) const override;
  std::size_t statistics() const override { return 0; }
  void update(std::span<const double>) override {}
  std::vector<double> parameters() const override { return {}; }
  std::string describe() const override { return "model1"; }
};

// The E step of one row, for models whose rows are independent. `posterior` holds the prior of each column on entry and
// p(column | row) on return. Returns the row's likelihood.
double finish_row(const float* emission, float null_emission, double null, int columns, float* posterior,
                  float& null_posterior);

}  // namespace dragoman::align
