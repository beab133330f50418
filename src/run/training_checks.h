#pragma once

#include "run/training_options.h"

namespace dragoman::run {

// Everything about a run that can be checked before any of its data is processed: amounts of training, schedule,
// metric, device, the files to read (validation sets are read to their end), the folders to write to, and settings that
// would have no effect. Throws Error with the first problem. Writes nothing.
void check_training(const TrainingOptions& options);

}  // namespace dragoman::run
