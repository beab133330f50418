#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/memory_plan.h"
#include "train/options.h"
#include "train/task.h"

namespace dragoman::train {

// A dry run: size, memory and estimated time of a run. Runs some batches forward and backward; weights do not change.
struct Plan {
  Size parameters = 0;
  std::uint64_t sentences = 0, steps_per_epoch = 0;
  double tokens_per_batch = 0;  // target tokens
  Position end;                 // where training would end; zero without a limit
  MemoryPlan memory;
  double seconds_per_update = 0;

  double seconds() const { return static_cast<double>(end.updates) * seconds_per_update; }
};

// `memory` is the result of Trainer::rehearse().
Plan make_plan(const TrainOptions& options, Task& task, data::Batcher& batches, const MemoryPlan& memory);

// Names and descriptions, for display.
std::vector<std::pair<std::string, std::string>> describe(const Plan& plan);

}  // namespace dragoman::train
