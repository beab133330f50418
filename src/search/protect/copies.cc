#include <algorithm>

#include "document/addresses.h"
#include "document/placeholders.h"
#include "search/protect/protection.h"

namespace dragoman::search {
namespace {

constexpr std::size_t kLongestTag = 64, kLongestPath = 512;  // bytes
constexpr std::string_view kBeforeWords = " \t([\"'<";

bool is_letter_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name(char c) { return is_letter_of_name(c) || (c >= '0' && c <= '9') || c == '_'; }

// The bytes between the first one of `text` and the first `close`; empty if there is none nearby.
std::string_view inside(std::string_view text, char close) {
  const std::size_t end = text.substr(1, kLongestTag).find(close);
  return end == text.npos ? std::string_view() : text.substr(1, end);
}

// <b>, </b>, <br/>, <0>, <a href="x">; a tag of several words has an attribute.
std::size_t size_of_tag(std::string_view text) {
  std::string_view name = inside(text, '>');
  const std::size_t size = name.size() + 2;
  if (name.starts_with('/')) name.remove_prefix(1);
  if (name.empty() || !is_name(name.front()) || name.find('<') != name.npos) return 0;
  const bool is_number = name.find_first_not_of("0123456789/") == name.npos;
  if (!is_letter_of_name(name.front()) && !is_number) return 0;
  return name.find(' ') == name.npos || name.find('=') != name.npos || name.ends_with(" /") ? size : 0;
}

// %NAME%, %s, %-5.2f, %(name)s; %% is a percent sign, and a letter that begins a word is no conversion.
std::size_t size_of_conversion(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at), name = inside(rest, '%');
  if (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') return 0;
  if (name.size() > 1 && std::all_of(name.begin(), name.end(), is_name)) return name.size() + 2;
  const std::size_t size = rest.starts_with("%%") ? 0 : document::placeholder_length(text, at);
  return size < rest.size() && is_name(rest[size]) ? 0 : size;
}

// A word that is a path (/usr/bin, ~/notes, C:\data, src/main.cc) or an option (--two-words=value).
std::size_t size_of_path_or_option(std::string_view text) {
  std::string_view word = text.substr(0, std::min(text.find_first_of(" \t<>\"`"), text.size()));
  word = word.substr(0, word.find_last_not_of(".,;:!?)]'") + 1);
  if (word.size() < 4 || word.size() > kLongestPath) return 0;
  if (word.starts_with("--")) return is_letter_of_name(word[2]) && is_name(word[3]) ? word.size() : 0;
  const auto separators = std::count_if(word.begin(), word.end(), [](char c) { return c == '/' || c == '\\'; });
  const bool has_root = word.starts_with('/') || word.starts_with("~/") || word.starts_with("./") ||
                        word.starts_with("../") || (is_letter_of_name(word[0]) && word.substr(1).starts_with(":\\"));
  const std::size_t dot = word.rfind('.'), last = word.find_last_of("/\\");
  const bool has_ending = dot != word.npos && last != word.npos && dot > last + 2 && is_letter_of_name(word[dot + 1]);
  return (has_root && (separators > 1 || word[0] != '/')) || has_ending ? word.size() : 0;
}

// The copy that begins at `at`, apart from addresses and emoji; empty if there is none.
Copy copy_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  std::size_t size = 0;
  Ending ending = Ending::any;
  switch (rest.front()) {
    case '<': size = size_of_tag(rest); break;
    case '`': size = inside(rest, '`').empty() ? 0 : inside(rest, '`').size() + 2; break;
    case '%': size = size_of_conversion(text, at); break;
    case '$':
    case ':': ending = Ending::word; [[fallthrough]];
    case '{':
    case '#': size = rest.starts_with("{}") ? 0 : document::placeholder_length(text, at); break;
    default:
      if (at == 0 || kBeforeWords.find(text[at - 1]) != kBeforeWords.npos) size = size_of_path_or_option(rest);
      ending = Ending::none;
  }
  return {{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + size)}, ending};
}

}  // namespace

std::vector<Copy> find_copies(std::string_view text) {
  std::vector<Copy> copies;
  const std::size_t closing = text.find("</");
  const bool has_elements = closing != text.npos && text.find('<') < closing;
  document::Range address, kept;  // the next ones; `kept` may be emoji
  for (std::size_t at = 0; at < text.size();) {
    if (at == 0 || address.begin < at) address = document::find_address(text, at);
    if (at == 0 || kept.begin < at) kept = document::find_kept(text, at);
    const bool has_brackets = text[at] == '<' && address.begin == at + 1 && text.substr(address.end).starts_with('>');
    const std::size_t bracket = has_brackets ? 1 : 0;
    Copy copy = copy_at(text, at);
    if (address.begin == at + bracket && address.begin < address.end)
      copy = {{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(address.end + bracket)}, Ending::none};
    else if (kept.begin == at)
      copy = {{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(kept.end)}, Ending::any};
    const bool is_copy = copy.span.end > at;
    if (is_copy && !(text[at] == '<' && !has_brackets && has_elements)) copies.push_back(copy);
    at = is_copy ? copy.span.end : at + 1;
  }
  return copies;
}

}  // namespace dragoman::search
