#pragma once

#include <string>
#include <vector>

#include "base/options.h"

namespace dragoman {

// The headings of the settings, each once, in the order in which they first appear.
std::vector<std::string> sections_of(const Settings& settings);

}  // namespace dragoman
