#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/axis.h"

namespace dragoman::report {

// Which value of a series counts most, and is marked: none in particular, or its extreme.
enum class Best { none, lowest, highest };

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // in order of x
  Best best = Best::none;
  bool is_noisy = false;  // drawn with a smooth line over the points
};

// A line chart. Series without points are omitted, as are values at or below zero on a logarithmic axis. Labels of axes
// contain the unit.
struct Chart {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  AxisKind x = AxisKind::linear, y = AxisKind::linear;
  bool starts_at_zero = false;  // the x axis, as for the course of training, however late the first point is
};

// A figure of HTML and SVG: the lines, and a legend with the best or else the last value of each series. The entries of
// the legend are check boxes that hide a series, and highlight it while the pointer or the focus is on them; this needs
// the style sheet of the page (page_style.h) but no script. With the script of the page, the pointer and the arrow keys
// read out values.
std::string draw(const Chart& chart);

// The same chart over several x axes, of which the page shows one: axis_control() chooses. The class of each drawing is
// `over-` and the name of its axis.
struct View {
  std::string axis;
  Chart chart;
};
std::string draw(const std::vector<View>& views);

// Radio buttons for the whole page. The first axis is shown at first.
struct AxisChoice {
  std::string axis, label;
};
std::string axis_control(const std::vector<AxisChoice>& axes);
std::string smoothing_control();

// The mean of each value and its neighbours, `radius` on both sides, with weights that fall off linearly. Towards the
// ends the neighbourhood shrinks on both sides alike, so that the line neither lags behind a trend nor bends away.
std::vector<std::pair<double, double>> smoothed(const std::vector<std::pair<double, double>>& points,
                                                std::size_t radius);

}  // namespace dragoman::report
