#pragma once

#include <string>
#include <vector>

#include "report/run_history.h"

// The curves of training runs: loss, scores, learning rate, speed and usage of the machine.
namespace dragoman::report {

// The charts of one run, each with all lines about a subject.
std::string run_charts(const RunHistory& run);

// The charts of several runs: one for each quantity, with a line for each run.
struct NamedRun {
  std::string name;
  RunHistory history;
};
std::string comparison_charts(const std::vector<NamedRun>& runs);

// Choice of the horizontal axis and of smoothing, for all charts of the page.
std::string chart_controls();

}  // namespace dragoman::report
