#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/options.h"

namespace dragoman::align {

// A sentence pair as one direction sees it: each of the `rows` words of one side was produced by one of the `columns`
// words of the other side, or by none of them (NULL).
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

enum class PositionKind { model1, model2, hmm };

// What a direction believes about positions, whatever the words: the part in which IBM Model 1, Model 2 and the HMM
// differ. Immutable while pairs are looked at, so threads may share it.
class PositionModel {
 public:
  explicit PositionModel(double null) : null_(null) {}
  virtual ~PositionModel() = default;

  // `null` is the probability that a word is produced by none; 0 < null < 1. `parameters` of an empty list are where
  // learning starts.
  static std::unique_ptr<PositionModel> make(PositionKind kind, double null, std::span<const double> parameters = {});

  virtual PositionKind kind() const = 0;
  // Fills `posteriors` with the probability of every link given the pair; each row and its null sum to one. `emissions`
  // are p(row's word | column's word). Returns log p(rows | columns), the length taken for granted. Adds to
  // `statistics` what update() needs, unless it is empty.
  virtual double posteriors(const PairMatrix& emissions, PairMatrix& posteriors,
                            std::span<double> statistics) const = 0;
  // Entries of `statistics`.
  virtual std::size_t statistics() const = 0;
  // The M step: from sums over all pairs to better parameters.
  virtual void update(std::span<const double> statistics) = 0;
  virtual std::vector<double> parameters() const = 0;
  // One line for people.
  virtual std::string describe() const = 0;

  double null() const { return null_; }

 protected:
  double null_;
};

}  // namespace dragoman::align

template <>
struct dragoman::EnumNames<dragoman::align::PositionKind> {
  using Kind = dragoman::align::PositionKind;
  static constexpr std::pair<Kind, const char*> list[] = {
      {Kind::model1, "model1"}, {Kind::model2, "model2"}, {Kind::hmm, "hmm"}};
};
