#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

// The entry of `known` with the smallest edit distance to `word`, or empty if none is close.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// Parses one value from text and formats it as text.
namespace text_value {
std::int64_t parse_integer(const std::string& text);
double parse_number(const std::string& text);
bool parse_bool(const std::string& text);
std::string quote(const std::string& text);
std::string show(double value);
std::vector<std::string> parse_list(const std::string& text);
std::string show_list(const std::vector<std::string>& values);
}  // namespace text_value

}  // namespace dragoman
