#pragma once

#include "recipe/plan.h"

namespace dragoman::recipe {

// Fails unless the program knows the commands and flags of all steps that are still to run; nothing is run. Writes to
// files in `scratch` meanwhile.
void check_commands(const Plan& plan, const std::string& scratch);

}  // namespace dragoman::recipe
