#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "recipe/plan.h"

// Runs the steps of jobs as child processes. Every step leaves a record, steps/N.json in the folder of the job, so that
// a job that was interrupted goes on after its last finished step; `train` goes on from its last checkpoint.
namespace dragoman::recipe {

struct StepRecord {
  std::string recorded, command;
  double seconds = 0;  // of all attempts
  bool finished = false;
  std::string measured{};  // day, version and machine
};
// Empty without a record.
StepRecord read_record(const Job& job, std::size_t step);

// The number of steps at the front of the job that are finished and unchanged.
std::size_t finished_steps(const Job& job);
bool is_finished(const Job& job);
// The finished systems of a plan.
std::vector<std::string> finished_systems(const Plan& plan);
// Removes the records of a job whose steps ran before the last step of `other`, so that they run again.
void forget_older(const Job& job, const Job& other);

enum class End { finished, stopped, failed };

// Runs the steps that are not finished yet. `stops` says whether to end in good order. What happens is logged.
End run_steps(const Job& job, const std::function<bool()>& stops);

// Fails unless the program knows the commands and flags of the steps of the jobs that are still to run. They are run
// with --dump-config, which only prints their settings, to the file `log`.
void check_steps(const std::vector<const Job*>& jobs, const std::string& log);

// Writes a file that appears as a whole, and the folders it is in.
void write_text(const std::string& path, const std::string& text);

}  // namespace dragoman::recipe
