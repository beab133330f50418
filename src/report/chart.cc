#include "report/chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "report/caption.h"
#include "report/escape.h"
#include "report/series_style.h"

namespace dragoman::report {
namespace {

using Points = std::vector<std::pair<double, double>>;

// In units of the drawing; margins have room for the larger letters of narrow screens.
constexpr double kChartWidth = 540, kChartHeight = 320, kChartLeft = 64, kChartRight = 16, kChartTop = 30,
                 kChartBottom = 48;
constexpr std::size_t kMostPoints = 250, kMostMarkers = 12;
// Fewer points are not smoothed.
constexpr std::size_t kFewestToSmooth = 15;
// The two strengths of smoothing: neighbours on each side as a part of all points, and at least so many.
struct Smoothing {
  const char* name;
  std::size_t part, least;
};
constexpr Smoothing kSmoothings[] = {{"some", 40, 3}, {"more", 10, 8}};

// A series as it is drawn.
struct Line {
  Points points;               // at most kMostPoints
  std::vector<Points> smooth;  // one for each of kSmoothings, or none
  std::optional<std::pair<double, double>> best;
  double last = 0;
};

// Downsamples to at most kMostPoints points by averaging neighbours, so that the chart of a long run stays small.
Points thinned(const Points& all) {
  const std::size_t group = (all.size() + kMostPoints - 1) / kMostPoints;
  if (group <= 1) return all;
  Points few;
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

Line line_of(const Chart& chart, const Series& series) {
  Points all;
  for (const auto& point : series.points)
    if (Axis::can_show(chart.x, point.first) && Axis::can_show(chart.y, point.second)) all.push_back(point);
  Line line;
  if (all.empty()) return line;
  line.last = all.back().second;
  line.points = thinned(all);
  // Smoothing after thinning costs no time for long logs.
  if (series.is_noisy && line.points.size() >= kFewestToSmooth)
    for (const Smoothing& strength : kSmoothings)
      line.smooth.push_back(smoothed(line.points, std::max(strength.least, line.points.size() / strength.part)));
  const auto by_value = [](const auto& a, const auto& b) { return a.second < b.second; };
  if (series.best == Best::lowest) line.best = *std::min_element(all.begin(), all.end(), by_value);
  if (series.best == Best::highest) line.best = *std::max_element(all.begin(), all.end(), by_value);
  return line;
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
                   x.to, kChartHeight - 6, escape(chart.x_label), escape(chart.y_label));
}

std::string polyline(const Points& points, const std::string& classes, const std::string& attributes, const Axis& x,
                     const Axis& y) {
  std::string path;
  for (const auto& [px, py] : points) path += fmt::format("{:.1f},{:.1f} ", x(px), y(py));
  return fmt::format("<polyline class='{}' points='{}'{}/>", classes, path, attributes);
}

std::string tip(const Chart& chart, const Series& series, const std::pair<double, double>& point, const char* remark) {
  return fmt::format("<title>{}{}\n{} {}: {}</title>", escape(series.name), remark, escape(chart.x_label),
                     short_number(point.first), short_number(point.second));
}

// A line with markers. The values are there as text for the script of the page, too.
std::string draw_line(const Chart& chart, std::size_t index, const Line& line, const Axis& x, const Axis& y) {
  const Series& series = chart.series[index];
  std::string values;
  for (const auto& [px, py] : line.points) values += fmt::format("{:.6g} {:.6g} ", px, py);
  std::string svg = fmt::format("<g class='series {}'>", series_class(index)) +
                    polyline(line.points, line.smooth.empty() ? "line" : "line raw",
                             series_dash(index) + " data-values='" + values + "'", x, y);
  for (std::size_t i = 0; i < line.smooth.size(); ++i)
    svg += polyline(line.smooth[i], std::string("line smooth ") + kSmoothings[i].name, series_dash(index), x, y);
  // Noisy lines have no markers: they would look like part of the noise.
  const std::size_t step = (line.points.size() + kMostMarkers - 1) / kMostMarkers;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const bool is_last = i + 1 == line.points.size();
    if (!is_last && (i % step != 0 || !line.smooth.empty())) continue;
    svg +=
        series_marker(index, x(line.points[i].first), y(line.points[i].second), tip(chart, series, line.points[i], ""));
  }
  if (line.best)
    svg += fmt::format("<circle class='best' cx='{:.1f}' cy='{:.1f}' r='7'>{}</circle>", x(line.best->first),
                       y(line.best->second), tip(chart, series, *line.best, ", best"));
  return svg + "</g>";
}

// "6.31 best" and, where that is another value, "last 6.5"; without a best value "5.9 last".
std::string legend_value(const Line& line) {
  const std::string last = short_number(line.last);
  if (!line.best) return fmt::format("<b>{}</b> <small>last</small>", last);
  const std::string best = short_number(line.best->second);
  return fmt::format("<b>{}</b> <small>best{}</small>", best, best == last ? "" : ", last " + last);
}

std::string legend(const Chart& chart, const std::vector<Line>& lines) {
  const auto has_points = [](const Line& line) { return !line.points.empty(); };
  const bool can_hide = std::count_if(lines.begin(), lines.end(), has_points) > 1;
  std::string html = "<ul class='legend'>";
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].points.empty())
      html += fmt::format("<li><label class='{}'>{}{}<span>{} {}</span></label></li>", series_class(i),
                          can_hide ? "<input type='checkbox' checked>" : "", series_swatch(i),
                          escape(chart.series[i].name), legend_value(lines[i]));
  return html + "</ul>";
}

std::string drawing(const Chart& chart, const std::vector<Line>& lines, const std::string& classes) {
  Extent xs, ys;
  for (const Line& line : lines)
    for (const auto& [x, y] : line.points) {
      xs.add(x);
      ys.add(y);
    }
  for (const Line& line : lines)
    if (line.best) ys.add(line.best->second);
  std::string svg =
      fmt::format("<svg class='{}' viewBox='0 0 {} {}' role='img' aria-label='{}: {} against {}' data-x='{}'>", classes,
                  kChartWidth, kChartHeight, escape(chart.title), escape(chart.y_label), escape(chart.x_label),
                  escape(chart.x_label));
  if (xs.empty())
    return svg + fmt::format("<text class='tick' x='{}' y='{}' text-anchor='middle'>nothing yet</text></svg>",
                             kChartWidth / 2, kChartHeight / 2);
  if (chart.starts_at_zero)
    xs.add(0);
  else if (chart.x == AxisKind::linear)
    xs.include_zero();
  if (xs.low() == xs.high()) xs.widen(chart.x);
  ys.widen(chart.y);
  const Axis x{chart.x, xs.low(), xs.high(), kChartLeft, kChartWidth - kChartRight};
  const Axis y{chart.y, ys.low(), ys.high(), kChartHeight - kChartBottom, kChartTop};
  svg += axes(chart, x, y);
  for (std::size_t i = lines.size(); i-- > 0;)
    if (!lines[i].points.empty()) svg += draw_line(chart, i, lines[i], x, y);
  return svg + "</svg>";
}

std::string radio_button(const std::string& group, const std::string& value, const std::string& label, bool checked) {
  return fmt::format("<label><input type='radio' name='{0}' id='{0}-{1}' value='{1}'{2}> {3}</label>", group, value,
                     checked ? " checked" : "", escape(label));
}

}  // namespace

std::string draw(const std::vector<View>& views) {
  std::string drawings, entries;
  for (const View& view : views) {
    std::vector<Line> lines;
    for (const Series& series : view.chart.series) lines.push_back(line_of(view.chart, series));
    drawings += drawing(view.chart, lines, view.axis.empty() ? "chart" : "chart over-" + view.axis);
    const bool has_points =
        std::any_of(lines.begin(), lines.end(), [](const Line& one) { return !one.points.empty(); });
    if (entries.empty() && has_points) entries = legend(view.chart, lines);
  }
  return "<figure class='plot'>" + caption(views.front().chart.title) + "<div class='drawing'><div>" + drawings +
         "</div>" + entries + "</div></figure>";
}

std::string draw(const Chart& chart) { return draw(std::vector<View>{{"", chart}}); }

std::string axis_control(const std::vector<AxisChoice>& axes) {
  std::string html = "<fieldset><legend>Horizontal axis</legend>";
  for (const AxisChoice& choice : axes)
    html += radio_button("over", choice.axis, choice.label, choice.axis == axes.front().axis);
  return html + "</fieldset>";
}

std::string smoothing_control() {
  return "<fieldset><legend>Smoothing</legend>" + radio_button("smooth", "off", "off", false) +
         radio_button("smooth", kSmoothings[0].name, "medium", true) +
         radio_button("smooth", kSmoothings[1].name, "strong", false) + "</fieldset>";
}

Points smoothed(const Points& points, std::size_t radius) {
  Points found;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t reach = std::min({radius, i, points.size() - 1 - i});
    double sum = 0, weights = 0;
    for (std::size_t j = i - reach; j <= i + reach; ++j) {
      const double weight = static_cast<double>(reach + 1 - (j > i ? j - i : i - j));
      sum += weight * points[j].second;
      weights += weight;
    }
    found.emplace_back(points[i].first, sum / weights);
  }
  return found;
}

}  // namespace dragoman::report
