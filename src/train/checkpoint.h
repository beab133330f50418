#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/model_file.h"
#include "train/optimiser.h"
#include "train/state.h"

namespace dragoman::train {

// All state that training changes, of this rank's share. `average` may be null.
struct Trained {
  MasterWeights& weights;
  Optimiser& optimiser;
  MovingAverage* average;
  TrainState& state;

  const nn::Parameters& parameters() const { return weights.parameters(); }
  comm::Communicator& comm() const { return weights.comm(); }
  // The weights to validate and to use, of a piece of the share: their average, if there is one.
  Tensor model_part(const Piece& piece) const { return average ? average->part(piece) : weights.part(piece); }
};

// The files below are written atomically, by all ranks: each writes its share. Their bytes do not depend on the number
// of ranks.

// The model file of the weights, or of their average.
void save_model(const std::string& path, const store::ModelInfo& info, const Trained& trained);
// A checkpoint is such a model file that also holds the training state. Any number of ranks can load it.
void save_checkpoint(const std::string& path, const store::ModelInfo& info, const Trained& trained);
// About the size of the file: everything but vocabularies and the header.
std::uint64_t checkpoint_bytes(const Trained& trained);
// Verifies the whole file before changing anything; throws if the file is damaged or belongs to a run with other
// settings. Called by all ranks: they share the verification, each reads its share, and they gather the weights that
// the model computes with. All of them throw if one does.
void load_checkpoint(const std::string& path, const Trained& trained);

// The checkpoints of a run, named by update number.
class CheckpointFolder {
 public:
  CheckpointFolder(std::string path, int keep) : path_(std::move(path)), keep_(keep) {}

  // Removes temporary files left by a killed process.
  void tidy() const;
  // Writes a checkpoint and returns its path. Removes the oldest ones beyond `keep` and, after a rollback, those of
  // later updates. Only the first rank changes files.
  std::string save(const store::ModelInfo& info, const Trained& trained) const;
  // Oldest first.
  std::vector<std::string> list() const;
  // Loads the newest intact checkpoint and returns its path, or an empty string if there are none. Calls `damaged` with
  // the error of each damaged one; throws if all are damaged. Called by all ranks; the first one lists the files.
  std::string load_newest(const Trained& trained, const std::function<void(const std::string&)>& damaged) const;

 private:
  std::vector<std::string> list_of_leader(comm::Communicator& comm) const;

  std::string path_;
  int keep_;
};

}  // namespace dragoman::train
