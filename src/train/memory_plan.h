#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/batcher.h"
#include "train/optimiser.h"
#include "train/options.h"
#include "train/task.h"

namespace dragoman::train {

// The memory that a run needs on its device, measured before the first update by rehearsing the largest batch and the
// longest search.
struct MemoryPlan {
  std::size_t weights = 0, gradients = 0, optimiser = 0;  // bytes, permanently allocated
  std::size_t learning = 0;                               // bytes for the largest part of a batch
  std::size_t search = 0;                                 // bytes for translating the validation set
  std::size_t free = 0;                                   // bytes free after the permanent allocations
  double fraction = 1;                                    // fraction of the free bytes that the run may use
  std::size_t largest_batch = 0;                          // tokens of both sides
  std::size_t at_once = 0;                                // maximum number of tokens per forward pass; 0: whole batches

  std::size_t total() const { return weights + gradients + optimiser + learning + search; }
};

// A plan with the permanent allocations filled in: those of this rank. `average` may be null.
MemoryPlan permanent_memory(const MasterWeights& weights, const Optimiser& optimiser, const MovingAverage* average);

// Runs the largest batch forward and backward, split into halves, quarters and so on until a part fits into the
// fraction of free memory that `options` allow, minus `plan.search`. That amount becomes the limit of the workspace.
// Throws if the longest sentence pair does not fit. Weights do not change.
void rehearse_learning(const TrainOptions& options, Task& task, Workspace& workspace, const data::Batch& largest,
                       MemoryPlan& plan);

// The next smaller limit after parts of `at_once` tokens (0: whole batches of at most `largest` tokens) ran out of
// memory: half of them, but not less than the longest sentence pair, which cannot be split. 0 if that pair alone has
// already been tried.
std::size_t smaller_part(std::size_t at_once, std::size_t largest, std::size_t longest);

// 1.5 MiB, 2.0 GiB.
std::string show_bytes(std::size_t bytes);
// Names and descriptions, for display.
std::vector<std::pair<std::string, std::string>> describe(const MemoryPlan& plan);

}  // namespace dragoman::train
