#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/memory_plan.h"
#include "train/options.h"
#include "train/task.h"

namespace dragoman::train {

// What a run would be, found out without training: some batches go forward and back, and no weight changes.
struct Plan {
  Size parameters = 0;
  std::uint64_t sentences = 0, steps_per_epoch = 0;
  double tokens_per_batch = 0;  // target tokens
  Position end;                 // where training would end, by its first limit; zero when there is none
  MemoryPlan memory;
  double seconds_per_update = 0;

  double seconds() const { return static_cast<double>(end.updates) * seconds_per_update; }
};

// `memory` as the trainer's rehearsal found it.
Plan make_plan(const TrainOptions& options, Task& task, data::Batcher& batches, const MemoryPlan& memory);

// A name and words each, for people.
std::vector<std::pair<std::string, std::string>> describe(const Plan& plan);

}  // namespace dragoman::train
