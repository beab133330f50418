#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/usage.h"
#include "train/memory_plan.h"
#include "train/scores.h"
#include "train/task.h"
#include "train/units.h"
#include "train/update_pipeline.h"

// The interface for watching a run. The trainer calls its observers in the order they were added; it does not print,
// draw or translate itself.
namespace dragoman::train {

// Facts known before the first update.
struct RunInfo {
  std::string output;  // folder of the run
  Position begin;      // starting position of this process; zero for a new run
  std::vector<Amount> until;
  Amount log;
  Size parameters = 0, trainable = 0;
  std::uint64_t sentences = 0, steps_per_epoch = 0;
  std::optional<MemoryPlan> memory{};  // if memory was rehearsed
};

// One update, or the means of several.
struct StepReport {
  Position position;
  LossSums sums;  // since the last report of this kind
  double rate = 0, gradient_norm = 0;
  double tokens_per_second = 0;
  double share_done = 0;    // of the whole run, 0 to 1
  double seconds_left = 0;  // at this speed
  double elapsed = 0;       // seconds of training and validation so far, over all processes of the run
  Usage usage{};            // of the machine; only in means over a log interval
  Waiting waiting{};        // of the ranks that train together
  Traffic traffic{};        // between them, per update
};

// A sentence of the validation set with the model's current translation.
struct Sample {
  std::string source, reference, output;
  std::vector<std::string> source_pieces, output_pieces;
  std::vector<float> attention;  // [output_pieces, source_pieces], or empty
  // Row i: weights over <s> and the i outputs before this one; empty if the model does not attend to its past.
  std::vector<std::vector<float>> past_attention{};
};

struct Validation {
  Position position;
  Scores scores;
  LossSums training;  // of the updates since the last validation
  std::vector<Sample> samples;
  bool best = false;  // by the chosen metric
  int without_improvement = 0;
  double seconds = 0;  // of this validation
  double elapsed = 0;  // seconds of training and validation so far, this one included
};

struct RunEnd {
  Position position;
  std::string reason;  // "reached 5e", "no better perplexity in 10 validations"
  std::string model;   // path of the model file; empty when there is none yet
  double seconds = 0;  // of training, over all processes of the run
  bool asked = false;  // whether a process of the run was asked to stop
};

class Observer {
 public:
  virtual ~Observer() = default;

  // Runs the most expensive case of measure() once before training and returns the device memory it needs, in bytes.
  virtual std::size_t rehearse() { return 0; }
  virtual void on_start(const RunInfo&) {}
  // After every update; must be cheap.
  virtual void on_update(const StepReport&) {}
  // At every `log` interval, with means over it.
  virtual void on_log(const StepReport&) {}
  // May add scores and samples before the validation is judged. The model has the weights that would be saved.
  virtual void measure(Validation&) {}
  virtual void on_validation(const Validation&) {}
  virtual void on_checkpoint(const std::string& /*path*/, const Position&) {}
  // A notable event, such as a rollback or a damaged checkpoint.
  virtual void on_remark(const std::string& /*words*/, const Position&) {}
  virtual void on_end(const RunEnd&) {}
  // Instead of on_end(), when an error ends the run.
  virtual void on_failure(const std::string& /*words*/, const Position&) {}
};

}  // namespace dragoman::train
