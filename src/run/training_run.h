#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/options.h"
#include "comm/communicator.h"
#include "run/training_options.h"
#include "run/training_settings.h"
#include "train/observer.h"

namespace dragoman::run {

// A training run from its options to a model file.
//
//   run::TrainingRun run(options);
//   run.on_validation([](const train::Validation& validation) { ... });
//   const train::RunEnd end = run.train([] { return false; });
//
// The output folder holds the settings, vocabularies, checkpoints, log.jsonl and, if asked for, TensorBoard events and
// a report.
class TrainingRun {
 public:
  // Checks the options, locks the output folder, loads or builds the vocabularies, tokenises the corpora and allocates
  // the model. The folder does not change before train() has found that the run can begin; a folder created for a run
  // that does not begin is removed. With several processes, all of them make a run with the same options and call
  // train(); the first one writes the folder and has the observers.
  explicit TrainingRun(TrainingOptions options, comm::Communicator& comm = comm::alone());
  ~TrainingRun();
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;

  // Adds an observer, which must outlive the run. Observers are called in this order, after the validation set has been
  // translated.
  void add(train::Observer& observer);
  void on_validation(std::function<void(const train::Validation&)> callback);

  // Trains to the end, or until `stop` returns true; it is called after every update. Call once.
  train::RunEnd train(const std::function<bool()>& stop);

  // Path of the report page; empty if there is none.
  std::string report_path() const;

 private:
  class Parts;

  comm::Communicator& comm_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dragoman::run
