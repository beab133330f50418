#pragma once

#include <string>
#include <string_view>
#include <vector>

// Methods of Python's `str`, on which the published numbers of sacreBLEU and NLTK depend. They differ from
// text/unicode.h: white space includes four more characters, and lower-casing depends on context. All text must be
// valid UTF-8, which data::read_lines() checks.
namespace dragoman::eval::python {

// str.isspace(): Unicode's White_Space and the separators U+001C to U+001F.
bool is_space(char32_t code_point);

// str.lower(): İ becomes two code points and a final Σ becomes ς, unlike in text::lower_case(), which maps single code
// points.
std::string lower(std::string_view line);

// str.split(): words separated by white space, as views into `line`.
std::vector<std::string_view> split(std::string_view line);
// str.rstrip().
std::string_view rstrip(std::string_view line);

}  // namespace dragoman::eval::python
