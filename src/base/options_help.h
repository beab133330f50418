#pragma once

#include <string>
#include <vector>

#include "base/options.h"

namespace dragoman {

// The distinct headings of the settings, in order of first appearance.
std::vector<std::string> sections_of(const Settings& settings);

}  // namespace dragoman
