#pragma once

#include <string>
#include <vector>

#include "recipe/data_files.h"
#include "recipe/plan.h"

namespace dragoman::recipe {

struct RunOptions {
  PlanOptions plan;  // plan.data is where miniatures have their data; that of others is found as `data` says
  DataOptions data;
  int jobs = 1;                   // systems at the same time
  double budget = 0;              // seconds after which to stop in good order; 0: none
  std::vector<std::string> only;  // systems and figures; empty: all
};

// Runs what is not finished yet: preparation, systems, figures, comparisons, and then the report. Several runners, also
// on other machines, may share an output folder; each system is run by one of them. Returns the exit status: 0, 1 if a
// step failed, or 128 + N after signal N.
int run_recipe(const Recipe& recipe, const Folder& folder, const RunOptions& options);

// Throws if results would be mixed with the data or with the recipe.
void check_output(const Recipe& recipe, const Folder& folder, const std::string& data);

// Whether a system or figure needs no more work. A finished system whose training commands have changed since stays
// finished, because training again may take long; a change of its tests is caught up with.
bool is_finished(const Job& job);
// Whether the job is finished although the commands that made its model were others.
bool is_outdated(const Job& job);
// What is wrong with the result of a finished system; empty: nothing.
std::string damage(const Job& job);

}  // namespace dragoman::recipe
