#pragma once

#include <string>
#include <vector>

namespace dragoman::report {

// A page that compares training runs, given by their folders or logs: states, best scores, curves in common charts, and
// the settings in which they differ. One self-contained HTML file.
std::string comparison_page(const std::vector<std::string>& runs);

// The shortest ends of the paths that tell them apart: "a/run", "b/run"; the names of the folders where these differ.
std::vector<std::string> short_names(const std::vector<std::string>& paths);

}  // namespace dragoman::report
