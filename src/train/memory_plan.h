#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/batcher.h"
#include "train/options.h"
#include "train/task.h"

namespace dragoman::train {

// What a run takes of its device's memory, found by doing the largest thing of each kind once before the first update.
struct MemoryPlan {
  std::size_t weights = 0, gradients = 0, optimiser = 0;  // bytes that last
  std::size_t learning = 0;                               // bytes of the largest that goes through the model at once
  std::size_t search = 0;                                 // bytes of translating the validation set
  std::size_t free = 0;                                   // bytes that were left beside what lasts
  double fraction = 1;                                    // of them that the run may take
  std::size_t largest_batch = 0;                          // tokens of both sides
  std::size_t at_once = 0;                                // tokens that go through together at most; 0: whole batches

  std::size_t total() const { return weights + gradients + optimiser + learning + search; }
};

// Learns from the largest batch, in halves, quarters and so on until it fits into the share of free memory that
// `options` allow beside `plan.search`, and leaves this share as the limit of the workspace. Fails when not even the
// longest sentence fits. No weight changes.
void rehearse_learning(const TrainOptions& options, Task& task, Workspace& workspace, const data::Batch& largest,
                       MemoryPlan& plan);

// A name and words each, for people.
std::vector<std::pair<std::string, std::string>> describe(const MemoryPlan& plan);

}  // namespace dragoman::train
