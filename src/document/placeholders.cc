#include "document/placeholders.h"

#include "base/ascii.h"
#include "document/quotation_marks.h"

namespace dragoman::document {
namespace {

constexpr std::size_t kLongest = 64, kLongestChoice = 1024;  // bytes

bool is_word(char c) { return is_ascii_digit(c) || is_ascii_letter(c) || c == '_'; }
bool is_placeholder_name(char c) { return is_word(c) || c == '.' || c == '-' || c == ':'; }

// The end of the bytes from `at` on that `belongs` accepts.
template <class F>
std::size_t skip_while(std::string_view text, std::size_t at, F&& belongs) {
  while (at < text.size() && belongs(text[at])) ++at;
  return at;
}

// The length up to `closing`, with it, if there is more than spaces before it and no brace.
std::size_t length_up_to(std::string_view text, std::string_view closing) {
  const std::size_t end = text.find(closing, 2);
  if (end == text.npos || text.find_first_of("{}\n", 2) < end) return 0;
  return text.substr(2, end - 2).find_first_not_of(' ') == text.npos ? 0 : end + closing.size();
}

// {name}, {0}, {{ name }}, {% if x %}.
std::size_t braces_length(std::string_view text) {
  if (text.starts_with("{{")) return length_up_to(text, "}}");
  if (text.starts_with("{%")) return length_up_to(text, "%}");
  const std::size_t end = skip_while(text, 1, is_placeholder_name);
  return end < text.size() && text[end] == '}' ? end + 1 : 0;
}

// {count, plural, one {# file} other {# files}} of ICU messages, and the same with select and selectordinal. Its texts
// depend on each other and on its keywords.
std::size_t choice_length(std::string_view text) {
  const std::size_t name = skip_while(text, 1, is_placeholder_name);
  const std::string_view rest = text.substr(name);
  const bool is_choice = name > 1 && (rest.starts_with(", plural,") || rest.starts_with(", select,") ||
                                      rest.starts_with(", selectordinal,"));
  if (!is_choice) return 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return at + 1;
  }
  return 0;
}

// %s, %-5.2f, %1$s, %(name)s, %{name}, %%.
std::size_t percent_length(std::string_view text) {
  std::size_t at = 1;
  if (text.substr(1).starts_with('%')) return 2;
  if (text.substr(1).starts_with('{')) {
    const std::size_t braces = braces_length(text.substr(1));
    return braces == 0 ? 0 : braces + 1;
  }
  if (text.substr(1).starts_with('(')) {
    at = skip_while(text, at + 1, is_placeholder_name);
    if (at >= text.size() || text[at] != ')') return 0;
    ++at;
  } else if (const std::size_t digits = skip_while(text, at, is_ascii_digit);
             digits < text.size() && text[digits] == '$') {
    at = digits + 1;
  }
  const auto is_one_of = [](std::string_view set) { return [set](char c) { return set.find(c) != set.npos; }; };
  at = skip_while(text, at, is_one_of("-+#0'"));
  at = skip_while(text, at, is_one_of("*0123456789."));
  at = skip_while(text, at, is_one_of("hlLqjzt"));
  return at < text.size() && is_one_of("diouxXeEfFgGaAcsp@")(text[at]) ? at + 1 : 0;
}

// ${name}, #{name}.
std::size_t marked_braces_length(std::string_view text) {
  const std::size_t braces = text.substr(1).starts_with('{') ? braces_length(text.substr(1)) : 0;
  return braces == 0 ? 0 : braces + 1;
}

// $name or :name; a single letter after a colon is an emoticon.
std::size_t name_length(std::string_view text, std::size_t shortest) {
  if (text.size() < 2 || !(is_ascii_letter(text[1]) || text[1] == '_')) return 0;
  const std::size_t end = skip_while(text, 1, is_word);
  return end - 1 >= shortest ? end : 0;
}

}  // namespace

std::size_t placeholder_length(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, kLongest);
  const char before = at > 0 ? text[at - 1] : ' ';
  switch (rest.empty() ? '\0' : rest.front()) {
    case '{': {
      const std::size_t braces = braces_length(rest);
      return braces > 0 ? braces : choice_length(text.substr(at, kLongestChoice));
    }
    case '%': return percent_length(rest);
    case '#': return marked_braces_length(rest);
    case '$': {
      const std::size_t braces = marked_braces_length(rest);
      return braces > 0 || is_word(before) || before == '$' ? braces : name_length(rest, 1);
    }
    case ':': {
      const bool is_apart = std::string_view(" \t\"'([").find(before) != std::string_view::npos;
      const std::size_t length = is_apart ? name_length(rest, 2) : 0;
      const bool is_name_of_emoji = length > 0 && rest.substr(length).starts_with(':');
      return is_name_of_emoji ? length + 1 : length;
    }
    default: return 0;
  }
}

Range quoted_placeholder(std::string_view text, std::size_t at) {
  constexpr auto kPairs = and_quotation_marks({{"\\\"", "\\\""}, {"`", "`"}, {"`", "'"}});
  for (const auto& [opening, closing] : kPairs) {
    if (!text.substr(at).starts_with(opening)) continue;
    const std::size_t begin = at + opening.size(), end = begin + placeholder_length(text, begin);
    if (end > begin && text.substr(end).starts_with(closing)) return {at, end + closing.size()};
  }
  return {at, at};
}

}  // namespace dragoman::document
