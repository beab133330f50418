#pragma once

#include <functional>
#include <memory>
#include <string>

#include "train/trainer.h"

namespace dragoman::train {

// Makes the same run again, writing to `output`: its task as it starts, and a trainer for it.
struct FreshRun {
  std::unique_ptr<Task> task;
  std::unique_ptr<Trainer> trainer;
};
using MakeRun = std::function<FreshRun(const std::string& output)>;

// Trains `updates` in one go, and again with a stop in the middle, a new start and --resume, both in subfolders of
// `folder` that are gone afterwards. Throws when weights, moments, averages or the state differ in a single bit. Gives
// how many bytes were compared.
std::size_t verify_resume(const MakeRun& make, const std::string& folder, std::uint64_t updates);

}  // namespace dragoman::train
