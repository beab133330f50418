#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/memory_plan.h"
#include "train/scores.h"
#include "train/task.h"
#include "train/units.h"

// What others see of a run. The trainer calls every observer in the order they were added; it neither prints nor
// draws nor translates itself.
namespace dragoman::train {

// What there is to know before the first update.
struct RunInfo {
  std::string output;  // folder of the run
  Position begin;      // where this start of the program takes over; zero for a new run
  std::vector<Amount> until;
  Amount log;
  Size parameters = 0, trainable = 0;
  std::uint64_t sentences = 0, steps_per_epoch = 0;
  std::optional<MemoryPlan> memory{};  // when there was a rehearsal
};

// One update, or the mean of several.
struct StepReport {
  Position position;
  LossSums sums;  // since the last report of its kind
  double rate = 0, gradient_norm = 0;
  double tokens_per_second = 0;
  double share_done = 0;    // of the whole run, 0 to 1
  double seconds_left = 0;  // at this speed
};

// A sentence of the validation set as the model now translates it.
struct Sample {
  std::string source, reference, output;
  std::vector<std::string> source_pieces, output_pieces;
  std::vector<float> attention;  // [output_pieces, source_pieces], or empty
};

struct Validation {
  Position position;
  Scores scores;
  LossSums training;  // what was learned from since the last validation
  std::vector<Sample> samples;
  bool best = false;  // by the metric that decides
  int without_improvement = 0;
  double seconds = 0;  // this validation took
};

struct RunEnd {
  Position position;
  std::string reason;  // "reached 5e", "no better perplexity in 10 validations"
  std::string model;   // the file to translate with; empty when there is none yet
  double seconds = 0;  // of training, over all starts of the program
};

class Observer {
 public:
  virtual ~Observer() = default;

  // Does once, before the run, the largest thing that measure() will do, and tells how many bytes of the device it
  // takes.
  virtual std::size_t rehearse() { return 0; }
  virtual void on_start(const RunInfo&) {}
  // After every update: cheap or nothing.
  virtual void on_update(const StepReport&) {}
  // Every `log` updates, with means over them.
  virtual void on_log(const StepReport&) {}
  // May add scores and samples, before anyone decides by them. The model has the weights that would be kept.
  virtual void measure(Validation&) {}
  virtual void on_validation(const Validation&) {}
  virtual void on_checkpoint(const std::string& /*path*/, const Position&) {}
  // Something a person should know: a rollback, a damaged checkpoint.
  virtual void on_remark(const std::string& /*words*/, const Position&) {}
  virtual void on_end(const RunEnd&) {}
};

}  // namespace dragoman::train
