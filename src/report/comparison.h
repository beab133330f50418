#pragma once

#include <string>
#include <vector>

namespace dragoman::report {

// A page that compares training runs, given by their folders or logs: states, best scores, curves in common charts, and
// the settings in which they differ. One self-contained HTML file.
std::string comparison_page(const std::vector<std::string>& runs);

// What tells the paths of runs apart, without the parts that all have in common: "a" and "b" for x/a/run and x/b/run.
std::vector<std::string> short_names(const std::vector<std::string>& paths);

}  // namespace dragoman::report
