#pragma once

#include "recipe/plan.h"

// Texts about a recipe that do not run it.
namespace dragoman::recipe {

// Every command with its state, and what training will cost: asks `train --dry-run` for the updates and seconds of each
// run that is not finished, if the data it needs is there.
void print_dry_run(const Recipe& recipe, const Folder& folder, const Plan& plan, const Job& comparisons);

// A line per system and figure: finished, running, interrupted or not started.
void print_status(const Recipe& recipe, const Folder& folder, const Plan& plan);

}  // namespace dragoman::recipe
