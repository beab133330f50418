#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dragoman::report {

// A bar without a value is shown as not run yet.
struct Bar {
  std::string name, remark;  // the remark is printed after the name
  std::optional<double> value;
  std::optional<double> half_width;  // of the confidence interval
  std::optional<double> published;   // drawn as a diamond beside the bar
};

// A horizontal bar chart that begins at zero. The label says what is measured, with its unit.
struct Bars {
  std::string title, label;
  int digits = 1;
  std::vector<Bar> bars;
};

// A figure of HTML and SVG; its colours come from the style sheet of the page.
std::string draw(const Bars& chart);

}  // namespace dragoman::report
