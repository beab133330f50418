#include "report/chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/escape.h"

namespace dragoman::report {
namespace {

constexpr double kWidth = 560, kHeight = 260, kLeft = 58, kRight = 16, kTop = 34, kBottom = 38;
constexpr std::size_t kMostPoints = 400;

// An axis: maps values to pixels.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;

  double operator()(double value) const {
    const double share = logarithmic ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low))
                                     : (value - low) / (high - low);
    return from + (to - from) * share;
  }
};

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
  // Adds a margin at both ends, so that the extent is never empty.
  void widen(bool logarithmic) {
    if (logarithmic) {
      low /= 1.05;
      high *= 1.05;
      return;
    }
    const double room = high > low ? 0.04 * (high - low) : std::max(0.5 * std::abs(high), 1e-9);
    low = low >= 0 ? std::max(0.0, low - room) : low - room;
    high += room;
  }
};

bool is_drawable(const Chart& chart, const std::pair<double, double>& point) {
  return std::isfinite(point.first) && std::isfinite(point.second) && (!chart.logarithmic || point.second > 0);
}

// Downsamples to at most kMostPoints points by averaging neighbours, so that the chart of a long run stays small.
std::vector<std::pair<double, double>> thinned(const Chart& chart, const Series& series) {
  std::vector<std::pair<double, double>> all, few;
  for (const auto& point : series.points)
    if (is_drawable(chart, point)) all.push_back(point);
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

// 1, 2 and 5 times powers of ten, or only the powers on axes of three decades and more.
std::vector<double> log_ticks(double low, double high) {
  std::vector<double> found;
  const double decades = std::log10(high / low);
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (power * digit >= low && power * digit <= high && (digit == 1 || decades < 3)) found.push_back(power * digit);
  return found.size() >= 2 ? found : ticks(low, high, 4);
}

std::string axes(const Chart& chart, const Scale& x, const Scale& y) {
  std::string svg;
  for (const double value : chart.logarithmic ? log_ticks(y.low, y.high) : ticks(y.low, y.high, 5))
    svg += fmt::format(
        "<line class='grid' x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}'/>"
        "<text class='tick' x='{:.1f}' y='{:.1f}' text-anchor='end'>{}</text>",
        x.from, x.to, y(value), y(value), x.from - 6, y(value) + 4, short_number(value));
  for (const double value : ticks(x.low, x.high, 6))
    svg += fmt::format("<text class='tick' x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>", x(value), y.from + 16,
                       short_number(value));
  svg += fmt::format("<text class='tick' x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>", (x.from + x.to) / 2,
                     kHeight - 6, escape(chart.x_label));
  return svg;
}

std::string line(const std::vector<std::pair<double, double>>& points, const Scale& x, const Scale& y,
                 std::size_t index) {
  std::string path;
  for (const auto& [px, py] : points) path += fmt::format("{:.1f},{:.1f} ", x(px), y(py));
  std::string svg = fmt::format("<polyline class='line s{}' points='{}'/>", index % 6, path);
  const auto dot = [&](const std::pair<double, double>& point) {
    svg +=
        fmt::format("<circle class='dot s{}' cx='{:.1f}' cy='{:.1f}' r='2.5'><title>{}: {}</title></circle>", index % 6,
                    x(point.first), y(point.second), short_number(point.first), short_number(point.second));
  };
  if (points.size() <= 60)
    std::for_each(points.begin(), points.end(), dot);
  else
    dot(points.back());
  return svg;
}

}  // namespace

std::string short_number(double value) {
  const double size = std::abs(value);
  if (value == 0) return "0";
  if (size < 1e-3) return fmt::format("{:.2g}", value);
  if (size >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

std::vector<double> ticks(double low, double high, int count) {
  const double rough = (high - low) / std::max(count, 1);
  // A range within rounding error has no ticks.
  if (!(rough > 1e-12 * std::max(std::abs(low), std::abs(high))) || !std::isfinite(rough)) return {low};
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= rough) {
      step = digit * power;
      break;
    }
  std::vector<double> found;
  for (double index = std::ceil(low / step - 1e-9); index * step <= high + 1e-9 * step; ++index)
    found.push_back(index * step);
  return found;
}

std::string draw(const Chart& chart) {
  Extent xs, ys;
  std::vector<std::vector<std::pair<double, double>>> lines;
  for (const Series& series : chart.series) {
    lines.push_back(thinned(chart, series));
    for (const auto& [x, y] : lines.back()) {
      xs.add(x);
      ys.add(y);
    }
  }
  std::string svg =
      fmt::format("<svg class='chart' viewBox='0 0 {} {}' role='img'><text class='title' x='{}' y='18'>{}</text>",
                  kWidth, kHeight, kLeft, escape(chart.title));
  if (xs.empty())
    return svg + fmt::format("<text class='tick' x='{}' y='{}' text-anchor='middle'>nothing yet</text></svg>",
                             kWidth / 2, kHeight / 2);
  ys.widen(chart.logarithmic);
  if (xs.low == xs.high) xs.widen(false);
  const Scale x{xs.low, xs.high, kLeft, kWidth - kRight, false};
  const Scale y{ys.low, ys.high, kHeight - kBottom, kTop, chart.logarithmic};
  svg += axes(chart, x, y);
  double legend = kWidth - kRight;
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (lines[i].empty()) continue;
    svg += line(lines[i], x, y, i);
    const std::string words = fmt::format("{} {}", chart.series[i].name, short_number(lines[i].back().second));
    svg += fmt::format("<text class='name s{}' x='{:.1f}' y='18' text-anchor='end'>{}</text>", i % 6, legend,
                       escape(words));
    legend -= 7.0 * static_cast<double>(words.size()) + 14;
  }
  return svg + "</svg>";
}

}  // namespace dragoman::report
