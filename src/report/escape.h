#pragma once

#include <string>
#include <string_view>

namespace dragoman::report {

// Escapes the five special characters of HTML and SVG: the result is safe in text and in attributes.
std::string escape(std::string_view text);

}  // namespace dragoman::report
