#pragma once

#include <string>

#include "cli/train_options.h"

namespace dragoman::cli {

// Trains a statistical translator and gives the path of its model file.
std::string train_statistical(const TrainCommandOptions& options);

}  // namespace dragoman::cli
