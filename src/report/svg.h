#pragma once

#include <string>
#include <string_view>

// What drawings have in common.
namespace dragoman::report {

// The width of a text in pixels, estimated from the mean width of a letter.
double text_width(std::string_view text, double font_size);

// The first `most` characters; if there are more, the last one is an ellipsis.
std::string shortened(std::string_view text, std::size_t most);

// An SVG file: the drawing, which begins with "<svg", with the colours of a report page as CSS variables (light, or
// dark if the viewer prefers it) and the rules `style`.
std::string svg_file(std::string_view drawing, std::string_view style);

}  // namespace dragoman::report
