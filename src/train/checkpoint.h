#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/model_file.h"
#include "train/optimiser.h"
#include "train/state.h"

namespace dragoman::train {

// All that changes while training. `average` may be null.
struct Trained {
  nn::Parameters& parameters;
  Optimiser& optimiser;
  MovingAverage* average;
  TrainState& state;
};

// A checkpoint is a model file (of the averaged weights, where there are some) with the rest of the run beside it. It
// appears whole or not at all.
void save_checkpoint(const std::string& path, const store::ModelInfo& info, const Trained& trained);
// Checks every byte before anything is changed; fails when the file is damaged or is not from this kind of run.
void load_checkpoint(const std::string& path, const Trained& trained);

// The checkpoints of a run, named after their update.
class CheckpointFolder {
 public:
  CheckpointFolder(std::string path, int keep) : path_(std::move(path)), keep_(keep) {}

  // Removes what a killed program left half written.
  void tidy() const;
  // Writes one; removes the oldest ones beyond `keep` and those of a future that was given up. Gives its path.
  std::string save(const store::ModelInfo& info, const Trained& trained) const;
  // Oldest first.
  std::vector<std::string> list() const;
  // Loads the newest one that is good and gives its path; `damaged` hears of those that are not. Empty when there is
  // none at all; fails when there are some but none is good.
  std::string load_newest(const Trained& trained, const std::function<void(const std::string&)>& damaged) const;

 private:
  std::string path_;
  int keep_;
};

}  // namespace dragoman::train
