#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "recipe/plan.h"

// Runs jobs. Every finished step leaves a record, steps/N.json in the folder of the job, so that a job that was
// interrupted goes on after its last finished step; `train` goes on from its last checkpoint.
namespace dragoman::recipe {

// What a running job tells, and asks, its runner. Called by the thread of the job.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void on_step(const Job& job, std::size_t step) = 0;
  // Something a user should know, a sentence.
  virtual void remark(const std::string& text) = 0;
  // Whether to stop in good order.
  virtual bool stops() = 0;
};

struct JobEnd {
  enum class Kind { finished, stopped, failed } kind = Kind::finished;
  std::string message;  // of a failure
};

// The record of a step that has run.
struct StepRecord {
  std::string recorded, command;
  double seconds = 0;
  bool finished = false;
  std::string gpu{};  // that it computed on; empty: none
};

// steps/N.EXTENSION in the folder of a job; N counts from 1.
std::string step_file(const Job& job, std::size_t step, const std::string& extension);
// Empty without a record.
StepRecord read_record(const Job& job, std::size_t step);

// The number of steps at the front of the job that are finished and unchanged.
std::size_t finished_steps(const Job& job);

// Runs the steps that are not finished yet. `gpus` are the names of those that they may use.
JobEnd run_steps(const Job& job, Watch& watch, const std::vector<std::string>& gpus);

}  // namespace dragoman::recipe
