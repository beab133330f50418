#pragma once

#include <string>
#include <vector>

namespace dragoman::report {

// Which source words each output word looked at.
struct AttentionMap {
  std::vector<std::string> source, output;
  std::vector<double> weights;  // [output, source], 0 to 1
};

// As SVG: a row for each output word, a column for each source word, darker where more attention lies.
std::string draw(const AttentionMap& map);

}  // namespace dragoman::report
