#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

// Text of unknown origin (a file, a line of input, a setting) in messages and on terminals.
namespace dragoman {

// The text on one line: control characters, marks that reverse the direction of writing, and bytes that are not UTF-8
// become \xHH or \u{HHHH}, so that a file cannot control the terminal that shows it. Other text stays as it is.
std::string escaped(std::string_view text);

// The same, at most a screen's width (80 characters); a longer text ends with an ellipsis. Every message that quotes
// the content of a file goes through it. Formatted only when an error needs it; must not outlive the text.
struct Excerpt {
  std::string_view text;
};
inline Excerpt excerpt(std::string_view text) { return {text}; }

}  // namespace dragoman

template <>
struct fmt::formatter<dragoman::Excerpt> : fmt::formatter<fmt::string_view> {
  format_context::iterator format(const dragoman::Excerpt& excerpt, format_context& context) const;
};
