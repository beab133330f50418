#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "data/prefetcher.h"
#include "store/model_file.h"
#include "train/checkpoint.h"
#include "train/observer.h"
#include "train/options.h"

namespace dragoman::train {

// What a run learns from and is judged by.
struct TrainData {
  data::Batcher training;
  std::optional<data::Batcher> validation;
};

// The loop: batches in, updates of the weights, validation, checkpoints. Whatever a person or a file sees of it comes
// from observers. Holds no hidden state: a trainer that loads a checkpoint goes on exactly as the one that wrote it.
class Trainer {
 public:
  // `info` is what model files hold beside the weights. Parameters of the task must have memory and gradients.
  Trainer(const TrainOptions& options, Task& task, TrainData data, store::ModelInfo info);

  // Observers must outlive the trainer.
  void add(Observer& observer) { observers_.push_back(&observer); }
  // Finds out, before the first update, what the run takes of memory and how much may go through the model at once.
  const MemoryPlan& rehearse();
  // Goes on from the newest good checkpoint of the output folder; false when there is none.
  bool resume();
  // Trains to the end and says why it ended. `stop` is asked after every update; true saves and leaves.
  RunEnd train(const std::function<bool()>& stop);

  const TrainState& state() const { return state_; }
  // The file that holds the best model, or the newest where nothing is validated.
  std::string model_path() const { return options_.output + "/model.safetensors"; }

 private:
  using Clock = std::chrono::steady_clock;

  MovingAverage* average() { return average_ ? &*average_ : nullptr; }
  Trained trained() { return {task_.parameters(), optimiser_, average(), state_}; }
  RunInfo run_info();
  void tell(const std::string& words);

  // An update that was asked for and whose losses the host has not seen. On a GPU there is one while the next is being
  // asked for, so that neither side waits for the other.
  struct Underway {
    Position position;  // after it
    double rate = 0;
    std::uint64_t tokens = 0;
    Clock::time_point start;
    Delivery* sums = nullptr;
  };

  // Asks for one update.
  void update();
  // Returns the number of labels.
  std::uint64_t learn_group(Position& after);
  // Adds up the gradients of the group's batches.
  std::uint64_t learn_batches(std::uint64_t labels);
  void make_parts_smaller(const OutOfMemory& problem);
  // Looks at the losses of updates until at most `most` are underway; false when one had diverged and the run went
  // back.
  bool settle(std::size_t most);
  bool is_sane(const Underway& done, const LossSums& sums, double norm) const;
  void count(const Underway& done, const LossSums& sums, double norm);
  void roll_back(const Underway& diverged, const LossSums& sums);

  // Whether something follows the update that went from `before` to the present position.
  bool is_followed_up(const Position& before) const;
  void follow_up(const Position& before, bool stopping);
  StepReport report(const Underway& last, const LossSums& sums, double norm, double speed) const;
  void log();
  void validate();
  void judge(Validation& validation);
  void save();
  void save_model();

  std::string end_reason() const;
  double share_done(const Position& position) const;

  TrainOptions options_;
  Task& task_;
  TrainData data_;
  store::ModelInfo info_;
  std::vector<Observer*> observers_;
  std::vector<Amount> until_;
  Amount validate_every_, checkpoint_every_, log_every_;
  Schedule schedule_;
  Optimiser optimiser_;
  std::optional<MovingAverage> average_;
  CheckpointFolder checkpoints_;
  TrainState state_;
  Workspace workspace_;
  std::optional<MemoryPlan> memory_;
  std::size_t at_once_ = 0;
  std::optional<data::Prefetcher> batches_;
  std::vector<data::Batch> group_;  // the batches of one update
  std::uint64_t steps_per_epoch_ = 0;
  Buffer sums_;  // of the update being asked for, f64: its two losses, the squares of its gradients
  std::array<std::unique_ptr<Delivery>, 2> deliveries_;
  std::deque<Underway> underway_;
  Underway settled_;         // the last update that was looked at
  Clock::time_point seen_;   // when
  double log_seconds_ = 0;   // spent on updates since the last log
  double trained_here_ = 0;  // spent on updates by this start of the program
  double share_before_ = 0;  // of the run that was over when it started
};

}  // namespace dragoman::train
