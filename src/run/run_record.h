#pragma once

#include "run/training_options.h"
#include "train/run_record.h"

namespace dragoman::run {

// What the log, TensorBoard and the report say about a run that this process trains on `device`.
train::RunRecord run_record(const TrainingOptions& options, const std::string& device, train::RunRecord::Pairs facts);

// The command line of this process, as typed into a shell.
std::string process_command();

}  // namespace dragoman::run
