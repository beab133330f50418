#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/options.h"

namespace dragoman::align {

// A matrix over a sentence pair in one direction: each of the `rows` words of one side is aligned to one of the
// `columns` words of the other side, or to NULL.
struct PairMatrix {
  int rows = 0, columns = 0;
  std::vector<float> word;  // [rows, columns]
  std::vector<float> null;  // [rows]

  void resize(int new_rows, int new_columns) {
    rows = new_rows;
    columns = new_columns;
    word.resize(static_cast<std::size_t>(rows) * columns);
    null.resize(rows);
  }
  float* row(int r) { return word.data() + static_cast<std::size_t>(r) * columns; }
  const float* row(int r) const { return word.data() + static_cast<std::size_t>(r) * columns; }
};

enum class AlignmentKind { model1, model2, hmm };

// The distribution over alignment positions, in which IBM Model 1, Model 2 and the HMM differ. It does not depend on
// the words. Immutable during the E step, so threads may share it.
class PositionModel {
 public:
  explicit PositionModel(double null) : null_(null) {}
  virtual ~PositionModel() = default;

  // `null` is the probability that a word is aligned to NULL; 0 < null < 1. Empty `parameters` give the initial values
  // of training.
  static std::unique_ptr<PositionModel> make(AlignmentKind kind, double null, std::span<const double> parameters = {});

  virtual AlignmentKind kind() const = 0;
  // The E step: fills `posteriors` with the probability of every link given the pair; each row and its NULL sum to one.
  // `emissions` are p(row's word | column's word). Returns log p(rows | columns) given the number of rows. Adds the
  // sums that update() needs to `statistics`, unless it is empty.
  virtual double posteriors(const PairMatrix& emissions, PairMatrix& posteriors,
                            std::span<double> statistics) const = 0;
  // Number of entries of `statistics`.
  virtual std::size_t statistics() const = 0;
  // The M step: re-estimates the parameters from the statistics of all pairs.
  virtual void update(std::span<const double> statistics) = 0;
  virtual std::vector<double> parameters() const = 0;
  // A summary of the parameters, for the log.
  virtual std::string describe() const = 0;

  double null() const { return null_; }

 protected:
  double null_;
};

}  // namespace dragoman::align

template <>
struct dragoman::EnumNames<dragoman::align::AlignmentKind> {
  using Kind = dragoman::align::AlignmentKind;
  static constexpr std::pair<Kind, const char*> list[] = {
      {Kind::model1, "model1"}, {Kind::model2, "model2"}, {Kind::hmm, "hmm"}};
};
