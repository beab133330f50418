#include "report/bars.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/axis.h"
#include "report/caption.h"
#include "report/escape.h"
#include "report/series_style.h"

namespace dragoman::report {
namespace {

constexpr double kWidth = 540, kRow = 44, kLeft = 4, kRight = 16, kTop = 6, kBottom = 48, kThickness = 14;
constexpr double kDigit = 11;      // the width of a digit on narrow screens, where text is larger
constexpr double kNothing = 1e-9;  // a chart of smaller values has an axis up to 1

constexpr const char* kMissing = "not run yet";

std::string show(double value, int digits) { return fmt::format("{:.{}f}", value, digits); }

std::string interval(const Bar& bar, const Axis& x, double middle) {
  const double low = x(std::max(0.0, *bar.value - *bar.half_width)), high = x(*bar.value + *bar.half_width);
  return fmt::format("<path class='whisker' d='M{0:.1f},{1:.1f}H{2:.1f}M{0:.1f},{3:.1f}v8M{2:.1f},{3:.1f}v8'/>", low,
                     middle, high, middle - 4);
}

std::string row(const Bars& chart, const Bar& bar, const Axis& x, double top) {
  const double bar_top = top + 21, middle = bar_top + kThickness / 2;
  std::string tip = bar.value ? show(*bar.value, chart.digits) : kMissing;
  if (bar.half_width) tip += " ± " + show(*bar.half_width, chart.digits);
  if (bar.published) tip += ", published " + show(*bar.published, chart.digits);
  const std::string value = bar.value ? show(*bar.value, chart.digits) : "";
  // HTML, which shortens a long name with an ellipsis; the title has all of it.
  std::string svg = fmt::format(
      "<g class='k0'><title>{0}: {1}</title><foreignObject x='{2:.1f}' y='{3:.1f}' width='{4:.1f}' height='21'>"
      "<div class='name'>{0}{5}</div></foreignObject>",
      escape(bar.name), tip, x.from, top, x.to - x.from - kDigit * static_cast<double>(value.size()),
      bar.remark.empty() ? "" : " <span class='remark'>" + escape(bar.remark) + "</span>");
  if (!bar.value) {
    svg += fmt::format("<text class='remark' x='{:.1f}' y='{:.1f}'>{}</text>", x.from, bar_top + 12, kMissing);
  } else {
    svg += fmt::format("<rect class='bar' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{}'/>", x.from, bar_top,
                       std::max(0.0, x(*bar.value) - x.from), kThickness);
    if (bar.half_width) svg += interval(bar, x, middle);
  }
  if (bar.published)
    svg += fmt::format("<path class='published' d='M{:.1f},{:.1f}l6,6l-6,6l-6,-6z'/>", x(*bar.published), middle - 6);
  // On the line of the name: beside the bar it could be taken for the published value.
  return svg + fmt::format("<text class='value' x='{:.1f}' y='{:.1f}' text-anchor='end'>{}</text></g>", x.to, top + 15,
                           value);
}

std::string key(const Bars& chart) {
  const auto any = [&](auto has) { return std::any_of(chart.bars.begin(), chart.bars.end(), has); };
  std::string html = "<ul class='legend'>";
  if (any([](const Bar& bar) { return bar.half_width.has_value(); }))
    html +=
        "<li><svg class='swatch k0' viewBox='0 0 30 12' width='30' height='12' aria-hidden='true'><path "
        "class='whisker' d='M4,6H26M4,2v8M26,2v8'/></svg><span>95 % confidence interval</span></li>";
  if (any([](const Bar& bar) { return bar.published.has_value(); }))
    html +=
        "<li><svg class='swatch' viewBox='0 0 30 12' width='30' height='12' aria-hidden='true'><path "
        "class='published' d='M15,1l5,5l-5,5l-5,-5z'/></svg><span>published</span></li>";
  return html + "</ul>";
}

}  // namespace

std::string draw(const Bars& chart) {
  Extent xs;
  xs.add(0);
  for (const Bar& bar : chart.bars) {
    if (bar.value) xs.add(*bar.value + bar.half_width.value_or(0));
    if (bar.published) xs.add(*bar.published);
  }
  const double bottom = kTop + kRow * static_cast<double>(chart.bars.size()), height = bottom + kBottom;
  const Axis x{AxisKind::linear, 0, xs.high() > kNothing ? xs.high() : 1, kLeft, kWidth - kRight};
  std::string html = "<figure class='plot'>" + caption(chart.title) +
                     fmt::format(
                         "<div class='drawing'><svg class='chart' viewBox='0 0 {} {}' role='img' "
                         "aria-label='{}: {} of every system'>",
                         kWidth, height, escape(chart.title), escape(chart.label));
  for (const auto& [value, label] : x.ticks(5))
    html += fmt::format(
        "<line class='grid' x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}'/>"
        "<text class='tick' x='{0:.1f}' y='{3}' text-anchor='{4}'>{5}</text>",
        x(value), kTop, bottom + 4, bottom + 18, value == 0 ? "start" : "middle", label);
  for (std::size_t i = 0; i < chart.bars.size(); ++i)
    html += row(chart, chart.bars[i], x, kTop + kRow * static_cast<double>(i));
  html += fmt::format("<text class='label' x='{:.1f}' y='{}' text-anchor='end'>{}</text></svg>", x.to, height - 6,
                      escape(chart.label));
  return html + key(chart) + "</div></figure>";
}

}  // namespace dragoman::report
