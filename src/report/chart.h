#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/axis.h"

namespace dragoman::report {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // in order of x
};

// A line chart. Series without points are omitted, as are values at or below zero on a logarithmic axis. Labels of axes
// contain the unit.
struct Chart {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  AxisKind x = AxisKind::linear, y = AxisKind::linear;
};

// A figure of HTML and SVG: the lines, and a legend with the last value of each series. The entries of the legend are
// check boxes that hide a series, and highlight it while the pointer or the focus is on them; this needs the style
// sheet of the page (page_style.h) but no script.
std::string draw(const Chart& chart);

}  // namespace dragoman::report
