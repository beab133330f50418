#pragma once

#include <string>
#include <vector>

#include "recipe/cost.h"
#include "recipe/plan.h"

// How long what is left of a recipe will take. Nothing is run and nothing is written to find out.
namespace dragoman::recipe {

struct Estimate {
  double seconds = 0;
  std::string machine;    // that the seconds are of: kThisMachine, or one that the recipe names; empty: not known
  bool is_least = false;  // the time of some steps is not known
};
inline constexpr const char* kThisMachine = "this machine";

// The time of the steps that are left: as far as it was measured in the folder of the job before; otherwise the cost
// that the recipe states.
Estimate estimate(const Job& job);

// "5:30 on this machine", "at least 5:30 on this machine" or "not known".
std::string words(const Estimate& estimate);

// Adds up by machine: "5:30 on this machine + 1:00:00 on an NVIDIA H200 + 2 not known".
std::string sum(const std::vector<Estimate>& estimates);

}  // namespace dragoman::recipe
