#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::search {

// Where a placeholder (document/placeholders.h), a tag, code between backquotes or a command-line option that begins at
// byte `at` ends, or 0 if none begins there: {name}, %s, %NAME%, $name, <b>, </b>, <0>, <a href="x">, `code`, --name,
// --name=value.
std::size_t end_of_placeholder(std::string_view text, std::size_t at);

// What placeholders begin with.
inline constexpr std::string_view kPlaceholderBegins = "{$%:#<`-";

}  // namespace dragoman::search
