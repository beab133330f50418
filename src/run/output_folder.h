#pragma once

#include "base/file_lock.h"
#include "run/training_options.h"

namespace dragoman::run {

// Makes the output folder and locks it: one process at a time may train in it. Throws Error if it holds a run that is
// neither to be resumed nor overwritten.
FileLock claim_output_folder(const TrainingOptions& options);

// The settings of the run in an output folder.
std::string settings_file(const std::string& folder);
// Writes them, without those that only concern this start of the program (resume, overwrite, ...).
void save_settings(TrainingOptions options);

}  // namespace dragoman::run
