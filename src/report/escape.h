#pragma once

#include <string>
#include <string_view>

namespace dragoman::report {

// Escapes the five special characters of HTML and SVG: the result is safe in text and in attributes. Bytes and control
// characters that no XML file may contain are replaced by U+FFFD.
std::string escape(std::string_view text);

// Text on one line that Markdown does not take for markup or for the end of a table's cell, unless it begins a block.
std::string escape_markdown(std::string_view text);
// The same for a text that begins a block, such as a paragraph or an item of a list.
std::string escape_markdown_block(std::string_view text);

}  // namespace dragoman::report
