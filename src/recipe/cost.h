#pragma once

#include <string>

namespace dragoman::recipe {

// What something takes and where, as a recipe says it.
struct Cost {
  double seconds = 0;
  std::string machine;  // "an NVIDIA H200"; empty: not known
};

// Seconds of a time such as 90s, 30min or 2h, of at most a year.
double parse_duration(const std::string& text);

// A cost such as "5min on an NVIDIA H200".
Cost parse_cost(const std::string& text);

}  // namespace dragoman::recipe
