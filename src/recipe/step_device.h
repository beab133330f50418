#pragma once

#include <string>
#include <vector>

#include "recipe/plan.h"

namespace dragoman::recipe {

// Whether a command computes with a model, and therefore chooses a device.
bool computes(const std::string& command);

// The names of the GPUs that this program can use; none without CUDA.
std::vector<std::string> usable_gpus();

// The one of `gpus` that a finished step has computed on; empty if it used the host: commands without a model,
// statistical models, and `--device cpu`.
std::string gpu_used(const Step& step, const std::vector<std::string>& gpus);

}  // namespace dragoman::recipe
