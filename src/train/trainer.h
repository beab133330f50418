#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "data/prefetcher.h"
#include "store/model_file.h"
#include "train/checkpoint.h"
#include "train/disk_plan.h"
#include "train/divergence_guard.h"
#include "train/gradient_accumulator.h"
#include "train/model_selection.h"
#include "train/run_progress.h"
#include "train/sharding.h"
#include "train/team.h"
#include "train/update_pipeline.h"
#include "train/update_totals.h"

namespace dragoman::train {

// The training and validation data of a run.
struct TrainData {
  data::Batcher training;
  std::optional<data::Batcher> validation;
  // Of the training and the validation data, compared when a run is resumed; 0: unknown, or none.
  std::uint64_t hash = 0, validation_hash = 0;
};

// The training loop: updates of the weights, validation, checkpoints. Observers do all printing, logging and drawing.
// There is no hidden state: a trainer that loads a checkpoint continues exactly like the one that wrote it.
class Trainer {
 public:
  // `info` is stored in model files beside the weights. The task's parameters must be allocated with gradients. If
  // several processes train together, each has a trainer, whose data is the shard of Team::of(options, comm), and they
  // make the same calls; they share the validation, and the first one writes files and has the observers, apart from
  // those that share the work of measure().
  Trainer(const TrainOptions& options, Task& task, TrainData data, store::ModelInfo info,
          comm::Communicator& comm = comm::alone());

  // Observers must outlive the trainer.
  void add(Observer& observer) { observers_.push_back(&observer); }
  // Measures, before the first update, how much memory the run needs and how many tokens fit into one forward pass.
  const MemoryPlan& rehearse();
  // The files that the run writes.
  DiskPlan disk();
  // Continues from the newest intact checkpoint in the output folder; false if there is none. Throws if the checkpoint
  // belongs to a run with another seed or other training data. Changes no file.
  bool resume();
  // Trains to the end and returns the reason why it ended. `stop` is called after every update; if it returns true, the
  // trainer saves a checkpoint and returns.
  RunEnd train(const std::function<bool()>& stop);

  const TrainState& state() const { return state_; }
  // The update of the newest checkpoint; nothing before the first one is complete.
  std::optional<std::uint64_t> saved_update() const { return saved_update_; }
  // The file of the best model, or of the newest one if nothing is validated.
  std::string model_path() const { return options_.output + "/model.safetensors"; }

 private:
  // The actions due after an update.
  struct Due {
    bool log = false, validate = false, save = false;
    bool any() const { return log || validate || save; }
  };

  MovingAverage* average() { return average_ ? &*average_ : nullptr; }
  Trained trained() { return {weights_, optimiser_, average(), state_}; }
  RunInfo run_info();
  void remark(const std::string& words) { notify(&Observer::on_remark, words, state_.position); }
  template <class... Parameters, class... Arguments>
  void notify(void (Observer::*event)(Parameters...), const Arguments&... arguments) {
    for (Observer* observer : observers_) (observer->*event)(arguments...);
  }

  // One update and what is due after it; returns the reason to end the run, or nothing.
  std::string advance();
  void report_failure(const std::string& words);
  // An update in two halves: the gradients of all its batches, summed over the ranks, then the optimiser step. Both
  // only enqueue work on the device.
  PendingUpdate compute_gradients();
  void apply_gradients(PendingUpdate update);
  // Gives all ranks the state of the first one, which has validated.
  void share_state();
  // Waits for the oldest updates until at most `most` are pending; false if one diverged and the run was rolled back.
  bool settle(std::size_t most);
  void roll_back(const FinishedUpdate& diverged);

  Due due_since(const Position& before, bool stopping) const;
  void follow_up(const Due& due);
  void validate();
  // The scores of the weights, or of their average. If it throws, the model may be left with the average.
  void measure(Validation& validation);
  // If there is an average, swaps it with the weights that all ranks compute with.
  void swap_average();
  // What the first rank makes of the scores: whether this is the best model so far, and the learning rate.
  void judge(Validation& validation, std::chrono::steady_clock::time_point start);
  // Keeps the place in the epoch of a run that had other batches or divided them into another number of parts.
  void adapt_to_batches();
  void check_same_run(const std::string& path, const TrainState& fresh);
  // Writes the position into the model card.
  void update_card();
  void save_checkpoint();
  void save_model();
  // The path of the checkpoint; empty if there is none.
  std::string load_newest_checkpoint();
  // Empty unless the run is to end.
  std::string end_reason() const;

  TrainOptions options_;
  Task& task_;
  Team team_;
  TrainData data_;
  store::ModelInfo info_;
  std::vector<Observer*> observers_;
  Amount validate_every_, checkpoint_every_, log_every_;
  RunProgress progress_;
  Schedule schedule_;
  Sharding sharding_;
  MasterWeights weights_;
  Optimiser optimiser_;
  std::optional<MovingAverage> average_;
  CheckpointFolder checkpoints_;
  TrainState state_;
  Workspace workspace_;
  GradientAccumulator gradients_;
  UpdatePipeline pipeline_;
  UpdateTotals totals_;
  DivergenceGuard divergence_;
  ModelSelection selection_;
  std::optional<MemoryPlan> memory_;
  std::optional<data::Prefetcher> batches_;
  std::vector<data::Batch> group_;  // this rank's batches of one update
  std::function<bool()> stop_;
  bool stopping_ = false;  // some rank was asked to stop
  double seconds_ = 0;     // that this rank computes per update; a running mean
  std::uint64_t steps_per_epoch_ = 0;
  std::optional<std::uint64_t> saved_update_;
};

}  // namespace dragoman::train
