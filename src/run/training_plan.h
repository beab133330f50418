#pragma once

#include <cstdint>

#include "run/training_data.h"
#include "run/training_options.h"

// What can be said about a training run without running it to its end.
namespace dragoman::run {

// Describes a run without training: sizes, steps, memory and estimated time.
Facts plan_training(TrainingOptions options);

struct ResumeProof {
  std::uint64_t updates = 0;
  std::size_t bytes = 0;  // bytes of weights and optimiser state compared
};

// Trains a few updates twice, once without interruption and once stopped and resumed, in subfolders of the output
// folder that are removed afterwards. Throws Error if any bit differs.
ResumeProof verify_resume(TrainingOptions options);

}  // namespace dragoman::run
