#pragma once

#include <map>
#include <string>

#include "train/task.h"
#include "train/units.h"

namespace dragoman::train {

// A metric's best value so far and the update it was found at.
struct Best {
  double value = 0;
  std::uint64_t update = 0;
  bool operator==(const Best&) const = default;
};

// Where a run stands, beside weights and moments. Random numbers need no state of their own: dropout draws from the
// stream (seed, batches seen), the order of the data from (seed, epoch).
struct TrainState {
  Position position;
  std::uint64_t epoch = 0, step = 0;  // the next batch
  std::uint64_t batches = 0;          // seen so far
  std::uint64_t seed = 1;
  std::uint64_t sentences = 0;  // of the training data, to notice that they changed
  LossSums since_log, since_validation;
  double norm_since_log = 0;  // sum of gradient norms
  std::uint64_t updates_since_log = 0;
  double running_loss = 0;  // slow mean of the loss of updates; what an explosion is measured against
  std::map<std::string, Best> best;
  std::uint64_t validated = 0;       // update of the last validation
  int without_improvement = 0;       // validations, by the metric that decides
  int without_improvement_rate = 0;  // since the rate was last reduced
  double rate_factor = 1;
  int rollbacks = 0;
  double seconds = 0;  // of training so far, the only part that two equal runs do not share

  bool operator==(const TrainState&) const = default;
};

std::string to_json(const TrainState& state);
// `where` names the file in errors.
TrainState state_from_json(const std::string& text, const std::string& where);

}  // namespace dragoman::train
