#pragma once

#include <map>
#include <string>

#include "train/task.h"
#include "train/units.h"

namespace dragoman::train {

// The best value of a metric so far, and the update it is from.
struct Best {
  double value = 0;
  std::uint64_t update = 0;
  bool operator==(const Best&) const = default;
};

// The state of a run apart from weights and moments. Random numbers need no state: dropout draws from the stream (seed,
// batches seen), the data order from (seed, epoch).
struct TrainState {
  Position position;
  std::uint64_t epoch = 0, step = 0;  // the next batch
  std::uint64_t batches = 0;          // seen so far, by all ranks
  int parts = 1;                      // of an update; a step is one batch of each
  std::uint64_t seed = 1;
  std::uint64_t sentences = 0;  // in the training data, to detect changed data on resume
  std::uint64_t data = 0;       // hash of the training data for the same purpose; 0: unknown (version 0.2.0 and before)
  std::uint64_t validation_data = 0;  // the same of the validation data
  LossSums since_log, since_validation;
  double norm_since_log = 0;  // sum of gradient norms
  std::uint64_t updates_since_log = 0;
  double running_loss = 0;  // running mean of the loss, to detect explosions
  std::map<std::string, Best> best;
  std::uint64_t validated = 0;       // update of the last validation
  int without_improvement = 0;       // validations since the best, by the chosen metric
  int without_improvement_rate = 0;  // the same since the rate was last reduced
  double rate_factor = 1;            // of the schedule's rate, after plateaus and rollbacks
  int rollbacks = 0;
  double seconds = 0;  // training time so far; the only field that differs between identical runs

  bool operator==(const TrainState&) const = default;
};

std::string to_json(const TrainState& state);
// `where` names the file in errors.
TrainState state_from_json(const std::string& text, const std::string& where);

}  // namespace dragoman::train
