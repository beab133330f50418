#pragma once

#include <string>
#include <vector>

#include "models/config.h"

namespace dragoman::models {

// Names of all presets of neural models (files of configs/), in alphabetical order.
const std::vector<std::string>& preset_names();
// Names of the presets of statistical models.
const std::vector<std::string>& statistical_preset_names();
// The commented YAML of a preset. Throws for an unknown name and suggests the nearest one.
const std::string& preset_text(const std::string& name);
// The first sentence of its comment.
std::string preset_summary(const std::string& name);
ModelConfig preset(const std::string& name);

}  // namespace dragoman::models
