#pragma once

#include "recipe/plan.h"

namespace dragoman::recipe {

// Fails unless the program knows the commands and flags of all steps that are still to run; nothing is run or written.
void check_commands(const Plan& plan);

}  // namespace dragoman::recipe
