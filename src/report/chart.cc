#include "report/chart.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/caption.h"
#include "report/escape.h"
#include "report/series_style.h"

namespace dragoman::report {
namespace {

using Points = std::vector<std::pair<double, double>>;

// In units of the drawing; margins have room for the larger letters of narrow screens.
constexpr double kWidth = 540, kHeight = 320, kLeft = 54, kRight = 16, kTop = 30, kBottom = 48;
constexpr std::size_t kMostPoints = 250, kMostTips = 60, kMostMarkers = 12;

bool can_show(const Chart& chart, const std::pair<double, double>& point) {
  return Axis::can_show(chart.x, point.first) && Axis::can_show(chart.y, point.second);
}

// Downsamples to at most kMostPoints points by averaging neighbours, so that the chart of a long run stays small.
Points thinned(const Chart& chart, const Series& series) {
  Points all, few;
  for (const auto& point : series.points)
    if (can_show(chart, point)) all.push_back(point);
  const std::size_t group = (all.size() + kMostPoints - 1) / kMostPoints;
  if (group <= 1) return all;
  for (std::size_t begin = 0; begin < all.size(); begin += group) {
    const std::size_t end = std::min(begin + group, all.size());
    double x = 0, y = 0;
    for (std::size_t i = begin; i < end; ++i) {
      x += all[i].first / static_cast<double>(end - begin);
      y += all[i].second / static_cast<double>(end - begin);
    }
    few.emplace_back(x, y);
  }
  return few;
}

std::string axes(const Chart& chart, const Axis& x, const Axis& y) {
  std::string svg;
  for (const auto& [value, label] : y.ticks(5))
    svg += fmt::format(
        "<line class='grid' x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}'/>"
        "<text class='tick' x='{:.1f}' y='{:.1f}' text-anchor='end'>{}</text>",
        x.from, x.to, y(value), y(value), x.from - 6, y(value) + 4, label);
  svg +=
      fmt::format("<line class='axis' x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}'/>", x.from, x.to, y.from, y.from);
  for (const auto& [value, label] : x.ticks(6))
    svg += fmt::format(
        "<line class='axis' x1='{0:.1f}' x2='{0:.1f}' y1='{1:.1f}' y2='{2:.1f}'/>"
        "<text class='tick' x='{0:.1f}' y='{3:.1f}' text-anchor='middle'>{4}</text>",
        x(value), y.from, y.from + 4, y.from + 18, label);
  return svg + fmt::format(
                   "<text class='label' x='{:.1f}' y='{:.1f}' text-anchor='end'>{}</text>"
                   "<text class='label' x='2' y='16'>{}</text>",
                   x.to, kHeight - 6, escape(chart.x_label), escape(chart.y_label));
}

// A line with markers. Points between the markers have tooltips, too.
std::string line(const Chart& chart, std::size_t index, const Points& points, const Axis& x, const Axis& y) {
  std::string path;
  for (const auto& [px, py] : points) path += fmt::format("{:.1f},{:.1f} ", x(px), y(py));
  std::string svg = fmt::format("<g class='series {}'><polyline class='line' points='{}'{}/>", series_class(index),
                                path, series_dash(index));
  const std::size_t tips = (points.size() + kMostTips - 1) / kMostTips;
  const std::size_t markers = (points.size() + kMostMarkers - 1) / kMostMarkers;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool is_last = i + 1 == points.size(), has_marker = is_last || i % markers == 0;
    if (!has_marker && i % tips != 0) continue;
    const double px = x(points[i].first), py = y(points[i].second);
    const std::string tip =
        fmt::format("<title>{}\n{} {}: {}</title>", escape(chart.series[index].name), escape(chart.x_label),
                    short_number(points[i].first), short_number(points[i].second));
    svg += has_marker ? series_marker(index, px, py, tip)
                      : fmt::format("<circle class='tip' cx='{:.1f}' cy='{:.1f}' r='5'>{}</circle>", px, py, tip);
  }
  return svg + "</g>";
}

std::string legend(const Chart& chart, const std::vector<Points>& lines) {
  const auto has_points = [](const Points& points) { return !points.empty(); };
  const bool can_hide = std::count_if(lines.begin(), lines.end(), has_points) > 1;
  std::string html = "<ul class='legend'>";
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].empty())
      html += fmt::format("<li><label class='{}'>{}{}<span>{} <b>{}</b></span></label></li>", series_class(i),
                          can_hide ? "<input type='checkbox' checked>" : "", series_swatch(i),
                          escape(chart.series[i].name), short_number(lines[i].back().second));
  return html + "</ul>";
}

}  // namespace

std::string draw(const Chart& chart) {
  Extent xs, ys;
  std::vector<Points> lines;
  for (const Series& series : chart.series) {
    lines.push_back(thinned(chart, series));
    for (const auto& [x, y] : lines.back()) {
      xs.add(x);
      ys.add(y);
    }
  }
  std::string html = "<figure class='plot'>" + caption(chart.title) +
                     fmt::format(
                         "<div class='drawing'><svg class='chart' viewBox='0 0 {} {}' role='img' "
                         "aria-label='{}: {} against {}'>",
                         kWidth, kHeight, escape(chart.title), escape(chart.y_label), escape(chart.x_label));
  if (xs.empty())
    return html +
           fmt::format("<text class='tick' x='{}' y='{}' text-anchor='middle'>nothing yet</text></svg></div></figure>",
                       kWidth / 2, kHeight / 2);
  if (chart.x == AxisKind::linear) xs.include_zero();
  if (xs.low() == xs.high()) xs.widen(chart.x);
  ys.widen(chart.y);
  const Axis x{chart.x, xs.low(), xs.high(), kLeft, kWidth - kRight};
  const Axis y{chart.y, ys.low(), ys.high(), kHeight - kBottom, kTop};
  html += axes(chart, x, y);
  for (std::size_t i = lines.size(); i-- > 0;)
    if (!lines[i].empty()) html += line(chart, i, lines[i], x, y);
  return html + "</svg>" + legend(chart, lines) + "</div></figure>";
}

}  // namespace dragoman::report
