#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "train/options.h"

namespace dragoman::train {

// The large files that a run writes into its folder.
struct DiskPlan {
  std::uint64_t checkpoint = 0, model = 0;  // bytes of one
  std::uint64_t checkpoints = 0;            // at the same time

  // A new model is complete before it replaces the old one.
  std::uint64_t total() const { return checkpoints * checkpoint + 2 * model; }
};

// The largest number of checkpoints that exist at the same time: `keep` or, in a short run, all. One more, because a
// new one is complete before the oldest is removed.
std::uint64_t checkpoints_at_once(const TrainOptions& options, double updates_per_epoch);

// Throws unless `free` bytes in `folder` suffice, where files of `existing` bytes will be replaced.
void check_disk(const DiskPlan& plan, const std::string& folder, std::uint64_t existing, std::uint64_t free);

// Names and descriptions, for display.
std::vector<std::pair<std::string, std::string>> describe(const DiskPlan& plan);

}  // namespace dragoman::train
