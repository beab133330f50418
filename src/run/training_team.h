#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "comm/join.h"
#include "comm/local_workers.h"
#include "run/training_options.h"

namespace dragoman::run {

// The processes that train one model together: those that mpirun, srun or torchrun started, or those that this process
// starts itself for `--devices`. A process that trains alone is a team of one.
class TrainingTeam {
 public:
  // Joins the others and gives this process its device and its share of the cores. `arguments` are those of the
  // program, with which `--devices` starts the others. Throws Error if the settings of a launcher are incomplete, or if
  // processes are missing.
  TrainingTeam(TrainingOptions& options, const std::vector<std::string>& arguments);

  comm::Communicator& comm() { return *comm_; }
  // Whether this process is the one to report `error`: others may do so, or know better.
  bool reports(const std::exception& error) const;

 private:
  std::unique_ptr<comm::LocalWorkers> workers_;  // outlive the communicator
  bool started_by_first_ = false;                // by `--devices`, like rank 0's own workers
  std::unique_ptr<comm::Communicator> comm_;
};

}  // namespace dragoman::run
