#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "run/training_options.h"

// Where the settings of a run come from, and how they are kept for resuming it.
namespace dragoman::run {

// Reads the initial settings of a run: those of the run that `asked` resumes, or else those of its preset and of the
// model that it fine-tunes. Flags must be parsed again afterwards, since they override all of these.
void read_initial_settings(Settings& settings, const TrainingOptions& asked);

// Throws if `options` fine-tune a model (`from`) and set vocabularies or the model's configuration to something else
// than that model has, because those settings would be ignored. For options that began as read_initial_settings() reads
// them.
void check_fine_tuning(const TrainingOptions& options);
// Throws if the run in the output folder is resumed with another model, vocabulary or task than it began with.
void check_resuming(const TrainingOptions& options);

// The run does not depend on the current folder any more.
void make_paths_absolute(TrainingOptions& options);

// The settings of the run in an output folder.
std::string settings_file(const std::string& folder);
// Writes them, except those that only apply to one invocation (resume, overwrite, ...). Paths become absolute, so that
// the run can be resumed from any folder.
void save_settings(TrainingOptions options);

}  // namespace dragoman::run
