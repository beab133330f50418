#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dragoman::report {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // in order of x
};

// A line chart. Series without points are omitted, as are values at or below zero on a logarithmic y axis.
struct Chart {
  std::string title, x_label;
  std::vector<Series> series;
  bool logarithmic = false;
};

// Self-contained SVG whose colours come from the style sheet of the page.
std::string draw(const Chart& chart);

// Round numbers that divide [low, high] into about `count` parts.
std::vector<double> ticks(double low, double high, int count);

// 0.00031 as "3.1e-04", 12345 as "12.3k", 3.14159 as "3.14".
std::string short_number(double value);

}  // namespace dragoman::report
