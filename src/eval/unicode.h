#pragma once

#include <string>
#include <string_view>
#include <vector>

// The few questions about characters that the metrics ask. All text here is valid UTF-8: text_file.h checks it at the
// door. White space, lower case and categories follow the Unicode definitions that Python's `str` uses, because the
// metrics' published numbers come from Python programs.
namespace dragoman::eval {

// The code point at `text[position]`; moves `position` behind it.
char32_t next_code_point(std::string_view text, std::size_t& position);
std::vector<char32_t> decode(std::string_view text);
void append_utf8(std::string& text, char32_t code_point);

bool is_space(char32_t code_point);
bool is_punctuation(char32_t code_point);  // categories P*
bool is_symbol(char32_t code_point);       // categories S*
bool is_number(char32_t code_point);       // categories N*

// Full lower-casing: İ becomes two code points, and a final Σ becomes ς.
std::string lowercase(std::string_view text);

// The words between white space, as views into `text`.
std::vector<std::string_view> split_words(std::string_view text);
std::string_view strip_right(std::string_view text);

}  // namespace dragoman::eval
