#pragma once

#include "align/position_model.h"

namespace dragoman::align {

// IBM Model 1: every position is as likely as any other (Brown, Della Pietra, Della Pietra, Mercer: "The Mathematics of
// Statistical Machine Translation", 1993).
class Model1 final : public PositionModel {
 public:
  using PositionModel::PositionModel;

  PositionKind kind() const override { return PositionKind::model1; }
  double posteriors(const PairMatrix& emissions, PairMatrix& posteriors, std::span<double> statistics) const override;
  std::size_t statistics() const override { return 0; }
  void update(std::span<const double>) override {}
  std::vector<double> parameters() const override { return {}; }
  std::string describe() const override { return "model1"; }
};

// The rows of a model in which they do not depend on each other. `posterior` holds the prior of each column; it becomes
// p(column | row). Returns the row's likelihood.
double finish_row(const float* emission, float null_emission, double null, int columns, float* posterior,
                  float& null_posterior);

}  // namespace dragoman::align
