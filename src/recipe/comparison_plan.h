#pragma once

#include <map>
#include <set>
#include <string>

#include "recipe/plan.h"

namespace dragoman::recipe {

// The test sets that systems have translated, by system.
using Translated = std::map<std::string, std::set<std::string>>;

// What there is to compare, now or after the plan has run. A finished system that was trained by other commands than
// those of the recipe now is left as it is, so it lacks test sets that were added since.
Translated translated_tests(const Recipe& recipe, const Folder& folder, const Plan& plan = {});

// Compares the systems of tables that have a baseline, on the test sets that both have translated.
Job plan_comparisons(const Recipe& recipe, const Folder& folder, const PlanOptions& options,
                     const Translated& translated);

}  // namespace dragoman::recipe
