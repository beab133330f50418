#pragma once

#include <string>
#include <vector>

#include "recipe/data_files.h"
#include "recipe/plan.h"

namespace dragoman::recipe {

struct RunOptions {
  PlanOptions plan;
  DataOptions data;
  int jobs = 1;                   // systems at the same time
  std::vector<std::string> only;  // patterns of systems and figures; empty: all
};

// Runs what is not finished yet: preparation, systems, figures, comparisons, and then the report. Returns the exit
// status: 0, 1 if a step failed, or 128 + N after signal N.
int run_recipe(const Recipe& recipe, const Folder& folder, const RunOptions& options);

// Prints every command that would run, and those that are finished. Runs and writes nothing.
void print_plan(const Recipe& recipe, const Folder& folder, const RunOptions& options);

}  // namespace dragoman::recipe
