#pragma once

#include <string>

#include "recipe/recipe.h"

namespace dragoman::recipe {

// Fails unless all declared files are in the folder `data`; lists those that are missing.
void require_data(const Recipe& recipe, const std::string& data);

}  // namespace dragoman::recipe
