#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/model_file.h"
#include "train/optimiser.h"
#include "train/sharding.h"
#include "train/state.h"

namespace dragoman::train {

// All state that training changes. `average` may be null.
struct Trained {
  nn::Parameters& parameters;
  Optimiser& optimiser;
  MovingAverage* average;
  TrainState& state;
  const Sharding* sharding = nullptr;  // of the optimiser's state; null: this process has all of it

  comm::Communicator& comm() const { return sharding != nullptr ? sharding->comm() : comm::alone(); }
  // What this rank writes of every flat buffer, and has of the optimiser's state.
  Share share() const { return sharding != nullptr ? sharding->share() : Share(parameters.weights().count()); }
};

// A checkpoint is a model file (of the averaged weights, if there are any) that also holds the training state. It is
// written atomically. If the state is divided between ranks, all of them call this, and each writes its share; weights
// and average must have been gathered. The bytes of the file do not depend on the number of ranks, and any number of
// ranks can load it.
void save_checkpoint(const std::string& path, const store::ModelInfo& info, const Trained& trained);
// About the size of the file: everything but vocabularies and the header.
std::uint64_t checkpoint_bytes(const Trained& trained);
// Verifies the whole file before changing anything; throws if the file is damaged or belongs to a run with other
// settings. Called by all ranks: they share the verification, and each reads the weights and its share of the moments.
// All of them throw if one does.
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
