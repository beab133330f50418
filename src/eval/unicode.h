#pragma once

#include <string>
#include <string_view>
#include <vector>

// Where the metrics' published numbers ask for what Python's `str` does, because they come from Python programs, and
// text/unicode.h does something else: white space has four more characters, and lower case depends on the context.
// All text here is valid UTF-8: text_file.h checks it at the door.
namespace dragoman::eval {

// str.isspace(): Unicode's White_Space and the separators U+001C to U+001F.
bool is_space(char32_t code_point);

// str.lower(): İ becomes two code points, and a final Σ becomes ς. text::lower_case() changes each code point by
// itself.
std::string lowercase(std::string_view line);

// str.split(): the words between white space, as views into `line`.
std::vector<std::string_view> split_words(std::string_view line);
// str.rstrip().
std::string_view strip_right(std::string_view line);

}  // namespace dragoman::eval
