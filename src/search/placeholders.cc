#include "search/placeholders.h"

#include <algorithm>

#include "base/ascii.h"
#include "document/placeholders.h"

namespace dragoman::search {
namespace {

constexpr std::size_t kLongestInside = 60;
constexpr std::string_view kBeforeOptions = " \t([\"'";

bool is_name(char c) { return is_ascii_letter(c) || is_ascii_digit(c) || c == '_'; }

// `text` up to the first `close`, without it; empty if there is none nearby.
std::string_view inside(std::string_view text, char close) {
  const std::size_t end = text.substr(0, kLongestInside).find(close);
  return end == text.npos ? std::string_view() : text.substr(0, end);
}

// <b>, </b>, <br/>, <0>, <a href="x">; a tag of several words has an attribute.
std::size_t size_of_tag(std::string_view text) {
  std::string_view name = inside(text.substr(1), '>');
  const std::size_t size = name.size() + 2;
  if (name.starts_with('/')) name.remove_prefix(1);
  const bool is_number = !name.empty() && name.find_first_not_of("0123456789/") == name.npos && name.front() != '/';
  if (is_number) return size;
  if (name.empty() || !is_ascii_letter(name.front()) || name.find('<') != name.npos) return 0;
  return name.find(' ') == name.npos || name.find('=') != name.npos || name.ends_with(" /") ? size : 0;
}

// %s, %-5.2f, %1$s, %(name)s, %NAME%; %% is a percent sign, and a letter that begins a word is no conversion.
std::size_t size_of_conversion(std::string_view text) {
  const std::string_view name = inside(text.substr(1), '%');
  if (name.size() > 1 && std::all_of(name.begin(), name.end(), is_name)) return name.size() + 2;
  const std::size_t size = text.starts_with("%%") ? 0 : document::placeholder_length(text, 0);
  return size < text.size() && is_name(text[size]) ? 0 : size;
}

std::size_t size_of_code(std::string_view text) {
  const std::string_view code = inside(text.substr(1), '`');
  return code.empty() ? 0 : code.size() + 2;
}

// --name, --two-words, --name=value.
std::size_t size_of_option(std::string_view text) {
  if (!text.starts_with("--") || text.size() < 4 || !is_ascii_letter(text[2]) || !is_name(text[3])) return 0;
  const auto is_part = [](char c) { return is_name(c) || c == '-'; };
  auto end = std::find_if_not(text.begin() + 2, text.end(), is_part);
  if (end != text.end() && *end == '=') end = std::find(end, text.end(), ' ');
  const std::string_view option(text.begin(), end);
  return option.find_last_not_of("-.,;:!?)\"'") + 1;
}

}  // namespace

std::size_t end_of_placeholder(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  std::size_t size = 0;
  switch (rest.front()) {
    case '<': size = size_of_tag(rest); break;
    case '`': size = size_of_code(rest); break;
    case '%':
      if (at == 0 || !is_ascii_digit(text[at - 1])) size = size_of_conversion(rest);
      break;
    case '-':
      if (at == 0 || kBeforeOptions.find(text[at - 1]) != kBeforeOptions.npos) size = size_of_option(rest);
      break;
    default:
      if (!rest.starts_with("{}")) size = document::placeholder_length(text, at);
  }
  return size == 0 ? 0 : at + size;
}

}  // namespace dragoman::search
