#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dragoman::report {

// Names and what is to say about them.
using Facts = std::vector<std::pair<std::string, std::string>>;

// A table of two columns that fits narrow screens.
std::string to_html(const Facts& facts);

}  // namespace dragoman::report
