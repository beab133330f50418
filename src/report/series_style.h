#pragma once

#include <cstddef>
#include <string>

// How the n-th series of a chart looks. Colour, dash pattern and marker vary together, so that series differ by more
// than their colour; 28 have a colour and dash pattern of their own.
namespace dragoman::report {

inline constexpr std::size_t kColours = 7, kDistinctSeries = 28;

// The class that gives an element the colour of the series: `k3`.
std::string series_class(std::size_t index);
// The stroke-dasharray attribute with a leading blank; empty for solid lines.
std::string series_dash(std::size_t index);
// The marker of the series at a pixel, as an SVG element with `inside` as its content.
std::string series_marker(std::size_t index, double x, double y, const std::string& inside);
// A short piece of the line with its marker, for legends.
std::string series_swatch(std::size_t index);

// Rules of the style sheet: colours by class; entries of a legend hide and highlight their series.
std::string series_rules();

}  // namespace dragoman::report
