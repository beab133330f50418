#pragma once

#include <functional>
#include <memory>
#include <string>

#include "train/trainer.h"

namespace dragoman::train {

// A run before its first update: the task with its initial weights and a trainer.
struct FreshRun {
  std::unique_ptr<Task> task;
  std::unique_ptr<Trainer> trainer;
};
// Creates the same run again with the folder `output`.
using MakeRun = std::function<FreshRun(const std::string& output)>;

// Trains for `updates` without interruption, then again with a stop in the middle and a resume, in temporary subfolders
// of `folder`. Throws if weights, moments, averages or the state differ in a single bit. Returns the number of bytes
// compared.
std::size_t verify_resume(const MakeRun& make, const std::string& folder, std::uint64_t updates);

}  // namespace dragoman::train
