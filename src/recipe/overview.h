#pragma once

#include "recipe/plan.h"

// Texts about a recipe that do not run it.
namespace dragoman::recipe {

// Every command with its state, and how long what is left will take. Runs and writes nothing.
void print_dry_run(const Recipe& recipe, const Plan& plan, const Job& comparisons);

// A line per system and figure: finished, running, interrupted or not started.
void print_status(const Recipe& recipe, const Folder& folder, const Plan& plan);

}  // namespace dragoman::recipe
