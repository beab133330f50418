#include "report/series_style.h"

#include <fmt/core.h>

namespace dragoman::report {
namespace {

constexpr const char* kDashes[] = {"", "7 4", "2 3", "9 3 2 3"};
// Paths around the point: circle, square, triangle, diamond, triangle upside down, cross.
constexpr const char* kMarkers[] = {"m-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0",
                                    "m-2.8,-2.8h5.6v5.6h-5.6z",
                                    "m0,-3.8l3.6,6.2h-7.2z",
                                    "m0,-4l4,4l-4,4l-4,-4z",
                                    "m0,3.8l3.6,-6.2h-7.2z",
                                    "m-1.3,-3.8h2.6v2.5h2.5v2.6h-2.5v2.5h-2.6v-2.5h-2.5v-2.6h2.5z"};

}  // namespace

std::string series_class(std::size_t index) { return "k" + std::to_string(index % kDistinctSeries); }

std::string series_dash(std::size_t index) {
  const std::string dash = kDashes[index / kColours % std::size(kDashes)];
  return dash.empty() ? "" : " stroke-dasharray='" + dash + "'";
}

std::string series_marker(std::size_t index, double x, double y, const std::string& inside) {
  return fmt::format("<path class='dot' d='M{:.1f},{:.1f}{}'>{}</path>", x, y, kMarkers[index % std::size(kMarkers)],
                     inside);
}

std::string series_swatch(std::size_t index) {
  return fmt::format(
      "<svg class='swatch {}' viewBox='0 0 30 12' width='30' height='12' aria-hidden='true'>"
      "<line class='line' x1='1' y1='6' x2='29' y2='6'{}/>{}</svg>",
      series_class(index), series_dash(index), series_marker(index, 15, 6, ""));
}

std::string series_rules() {
  std::string css;
  for (std::size_t i = 0; i < kDistinctSeries; ++i)
    css += fmt::format(
        ".k{0}{{--c:var(--c{1})}}"
        ".plot:has(.legend .k{0} input:not(:checked)) g.k{0}{{display:none}}"
        ".plot:has(.legend label.k{0}:hover) g.series:not(.k{0}),"
        ".plot:has(.legend .k{0} input:focus-visible) g.series:not(.k{0}){{opacity:.12}}\n",
        i, i % kColours);
  return css;
}

}  // namespace dragoman::report
