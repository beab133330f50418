#pragma once

#include <string>

#include "train/observer.h"
#include "train/options.h"
#include "train/state.h"

namespace dragoman::train {

// Judges validations by one metric: which model is the best so far, when to reduce the learning rate on a plateau, and
// when to stop early (patience). Its state (best scores, validations without improvement) is in the TrainState.
class ModelSelection {
 public:
  explicit ModelSelection(const TrainOptions& options)
      : metric_(options.metric),
        patience_(options.patience),
        plateau_(options.schedule.plateau),
        plateau_factor_(options.schedule.plateau_factor) {}

  // Compares every score with its best so far and fills `best` and `without_improvement` of the validation. On a
  // plateau it reduces the rate and returns a remark, otherwise an empty string. Throws if the metric was not measured.
  std::string judge(Validation& validation, TrainState& state) const;
  bool out_of_patience(const TrainState& state) const {
    return patience_ > 0 && state.without_improvement >= patience_;
  }
  // The reason for early stopping, for messages.
  std::string reason() const;

 private:
  std::string metric_;
  int patience_, plateau_;
  double plateau_factor_;
};

}  // namespace dragoman::train
