#pragma once

#include <string>
#include <vector>

#include "models/config.h"

namespace dragoman::models {

// Names of all presets, in alphabetical order: the files of configs/.
const std::vector<std::string>& preset_names();
// The commented YAML of a preset; an unknown name is an error that names the nearest.
const std::string& preset_text(const std::string& name);
ModelConfig preset(const std::string& name);

}  // namespace dragoman::models
