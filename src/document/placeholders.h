#pragma once

#include <cstddef>
#include <string_view>

#include "document/segment.h"

namespace dragoman::document {

// What placeholders begin with.
inline constexpr std::string_view kPlaceholderBegins = "{%$:#";

// The length of the placeholder that begins at byte `at`; 0 if there is none: {name}, {0}, {{ name }}, {% if x %}, %s,
// %1$d, %(name)s, %{name}, %%, ${name}, $name, #{name}, {n, plural, ...} and, after a space, :name. $5 is none, nor are
// "a:b" and ":-)".
std::size_t placeholder_length(std::string_view text, std::size_t at);

// The quotation marks that begin at byte `at` and end after the placeholder between them, with it; empty if there are
// none. A backslash may be before each: \"%s\".
Range quoted_placeholder(std::string_view text, std::size_t at);

}  // namespace dragoman::document
