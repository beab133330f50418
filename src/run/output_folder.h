#pragma once

#include "base/file_lock.h"
#include "run/training_options.h"

namespace dragoman::run {

// Creates the output folder and locks it, since only one process at a time may train in it. Throws Error if it holds a
// run that the options neither resume nor overwrite.
FileLock claim_output_folder(const TrainingOptions& options);

// The settings of the run in an output folder.
std::string settings_file(const std::string& folder);
// Writes them, except those that only apply to one invocation (resume, overwrite, ...).
void save_settings(TrainingOptions options);

}  // namespace dragoman::run
