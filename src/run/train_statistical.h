#pragma once

#include <string>

#include "run/training_options.h"

namespace dragoman::run {

// Trains a phrase-based statistical model. Returns the path of its model file.
std::string train_statistical(const TrainingOptions& options);

}  // namespace dragoman::run
