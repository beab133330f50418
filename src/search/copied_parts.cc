#include "search/copied_parts.h"

#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "document/addresses.h"
#include "search/identifiers.h"
#include "search/placeholders.h"
#include "search/words.h"

namespace dragoman::search {
namespace {

constexpr std::size_t kMostDigits = 13;  // of a telephone number or an ISBN
constexpr std::size_t kLongestPart = 64;

char at_or_end(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

std::size_t end_of_digits(std::string_view text, std::size_t at) {
  while (is_ascii_digit(at_or_end(text, at))) ++at;
  return at;
}

// Whether `text` ends with `word`, in any case, and characters of `between`.
bool ends_with_word(std::string_view text, std::string_view word, std::string_view between) {
  text = text.substr(0, text.find_last_not_of(between) + 1);
  if (text.size() < word.size()) return false;
  const std::string_view end = text.substr(text.size() - word.size());
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  return std::equal(end.begin(), end.end(), word.begin(), same);
}

// Groups of digits and what separates them.
struct DigitGroups {
  std::vector<std::string_view> groups;
  std::string separators;  // the first character of each
  std::size_t end = 0;

  std::size_t digits() const {
    std::size_t count = 0;
    for (const std::string_view group : groups) count += group.size();
    return count;
  }
  bool is_separated_by(std::string_view allowed) const {
    return separators.find_first_not_of(allowed) == separators.npos;
  }
  bool has_sizes(std::initializer_list<std::size_t> sizes) const {
    return std::equal(groups.begin(), groups.end(), sizes.begin(), sizes.end(),
                      [](std::string_view group, std::size_t size) { return group.size() == size; });
  }
};

// Groups with a point between them.
DigitGroups read_dotted(std::string_view text, std::size_t at) {
  DigitGroups read;
  for (;; ++at) {
    read.end = end_of_digits(text, at);
    read.groups.push_back(text.substr(at, read.end - at));
    at = read.end;
    if (at_or_end(text, at) != '.' || !is_ascii_digit(at_or_end(text, at + 1)) || read.groups.size() > kLongestPart)
      return read;
    read.separators += '.';
  }
}

// Groups with a space, a hyphen, a slash or brackets between them, of no more digits than telephone numbers have.
DigitGroups read_spaced(std::string_view text, std::size_t at) {
  DigitGroups read;
  if (at_or_end(text, at) == '+') ++at;
  if (at_or_end(text, at) == '(') ++at;
  for (;;) {
    const std::size_t end = end_of_digits(text, at);
    const bool is_other_number = !read.groups.empty() && text[at - 1] == ' ' && end == at + 1;
    if (end == at || read.digits() + (end - at) > kMostDigits || is_other_number) break;
    read.groups.push_back(text.substr(at, end - at));
    read.end = end;
    at = end;
    if (at_or_end(text, at) == ')') read.end = ++at;
    const std::size_t separator = at;
    while (at < text.size() && at < separator + 2 && std::string_view(" -/(").find(text[at]) != std::string_view::npos)
      ++at;
    if (!is_ascii_digit(at_or_end(text, at))) break;
    read.separators += at > separator ? text[separator] : ')';
  }
  read.separators.resize(read.groups.empty() ? 0 : read.groups.size() - 1);
  return read;
}

// 7.000.000.000 is a number: no part of an address has leading zeros.
bool is_ip(const DigitGroups& read) {
  return read.groups.size() == 4 && std::all_of(read.groups.begin(), read.groups.end(), [](std::string_view group) {
           const bool has_leading_zero = group.size() > 1 && group[0] == '0';
           return group.size() <= 3 && !has_leading_zero && std::stoi(std::string(group)) <= 255;
         });
}

// 12.05.2013 or 5/12/13 with points.
bool may_be_date(const DigitGroups& read) {
  if (read.groups.size() != 3 || read.groups[0].size() > 2 || read.groups[1].size() > 2) return false;
  const int first = std::stoi(std::string(read.groups[0])), second = std::stoi(std::string(read.groups[1]));
  const bool is_year = read.groups[2].size() == 2 || read.groups[2].size() == 4;
  return is_year && std::max(first, second) <= 31 && std::min(first, second) <= 12;
}

// 1.234.567 of languages that group digits by points.
bool may_be_number(const DigitGroups& read) {
  return std::all_of(read.groups.begin() + 1, read.groups.end(),
                     [](std::string_view group) { return group.size() == 3; });
}

bool is_version(const DigitGroups& read, bool is_called_so) {
  if (is_called_so) return read.groups.size() >= 2;
  return read.groups.size() >= 3 && !may_be_date(read) && !may_be_number(read);
}

bool is_phone(const DigitGroups& read, char first) {
  constexpr std::size_t kFewestDigits = 7;
  if (read.digits() < kFewestDigits) return false;
  if (first == '+') return true;
  if (read.groups.size() > 1 && read.groups[0][0] == '0' && read.groups[0].size() >= 3) return true;
  if (first == '(' && read.has_sizes({3, 3, 4})) return true;
  return read.is_separated_by("-") &&
         (read.has_sizes({3, 4}) || read.has_sizes({3, 3, 4}) || read.has_sizes({1, 3, 3, 4}));
}

// The end of an ISBN, or 0.
std::size_t end_of_isbn(const DigitGroups& read, std::string_view text, bool is_called_so) {
  if (!read.is_separated_by(" -") || read.groups.empty()) return 0;
  const bool has_prefix = read.groups[0].starts_with("978") || read.groups[0].starts_with("979");
  if (read.digits() == 13 && has_prefix) return read.end;
  if (!is_called_so) return 0;
  if (read.digits() == 10) return read.end;
  const std::size_t check = read.end + (at_or_end(text, read.end) == '-' ? 1 : 0);
  return read.digits() == 9 && at_or_end(text, check) == 'X' ? check + 1 : 0;
}

// The end of an IP address or a version number that begins at `at`, or 0.
std::size_t end_of_dotted(std::string_view text, std::size_t at, std::string_view before) {
  const DigitGroups read = read_dotted(text, at);
  if (is_ip(read)) {
    const char next = at_or_end(text, read.end);
    return next == ':' || next == '/' ? std::max(read.end, end_of_digits(text, read.end + 1)) : read.end;
  }
  const bool is_called_so = before.ends_with('v') || ends_with_word(before, "version", " ");
  return is_version(read, is_called_so) ? read.end : 0;
}

// The number that begins at `at`, a digit, a plus or a bracket; empty if there is none.
CopiedPart number_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kContext = 16;  // bytes before a number that may say what it is
  const std::string_view before = text.substr(at - std::min(at, kContext), std::min(at, kContext));
  std::size_t begin = at, end = 0;
  if (is_ascii_digit(text[at])) {
    if (before.ends_with('v') || before.ends_with('V')) --begin;
    end = end_of_dotted(text, at, before);
  }
  if (end == 0) {
    begin = at;
    const DigitGroups read = read_spaced(text, at);
    end = end_of_isbn(read, text, ends_with_word(before, "isbn", "-: 0123456789"));
    if (end == 0 && is_phone(read, text[at])) end = read.end;
  }
  if (end <= begin || end - begin > kLongestPart || !stands_alone(text, begin, end)) return {};
  return {{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, Ending::no_digit};
}

std::size_t end_of_number(std::string_view text, std::size_t at) {
  while (is_ascii_digit(text[at]) || ((text[at] == '.' || text[at] == ',') && is_ascii_digit(at_or_end(text, at + 1))))
    if (++at == text.size()) break;
  return at;
}

// The part that begins at `at`; empty if there is none.
CopiedPart part_at(std::string_view text, std::size_t at) {
  if (kPlaceholderBegins.find(text[at]) == kPlaceholderBegins.npos) return number_at(text, at);
  const std::size_t end = end_of_placeholder(text, at);
  const bool ends_with_name = text[at] == '$' || text[at] == ':';
  return {{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(std::max(at, end))},
          text[at] == '-'  ? Ending::none
          : ends_with_name ? Ending::word
                           : Ending::any};
}

// Adds the parts of bytes [begin, end), which contain no address, no emoji and no identifier. `has_elements`: some tags
// have partners.
void find_other_parts(std::string_view text, std::size_t begin, std::size_t end, bool has_elements,
                      std::vector<CopiedPart>& parts) {
  const std::string_view stretch = text.substr(0, end);
  static const std::string kFirst = "+(0123456789" + std::string(kPlaceholderBegins);
  for (std::size_t at = stretch.find_first_of(kFirst, begin); at < end;) {
    const CopiedPart part = part_at(stretch, at);
    // A second search would leave elements empty.
    const bool is_part = part.span.end > at && !(text[at] == '<' && has_elements);
    if (is_part) parts.push_back(part);
    at = stretch.find_first_of(kFirst, is_part ? part.span.end : std::max(at + 1, end_of_number(stretch, at)));
  }
}

// The same with identifiers.
void find_parts(std::string_view text, std::size_t begin, std::size_t end, bool has_elements,
                std::vector<CopiedPart>& parts) {
  const auto offset = static_cast<std::uint32_t>(begin);
  for (const text::Span& found : find_identifiers(text.substr(begin, end - begin))) {
    const text::Span span{offset + found.begin, offset + found.end};
    find_other_parts(text, begin, span.begin, has_elements, parts);
    parts.push_back({span, Ending::none});
    begin = span.end;
  }
  find_other_parts(text, begin, end, has_elements, parts);
}

}  // namespace

std::vector<CopiedPart> find_copied(std::string_view text) {
  std::vector<CopiedPart> parts;
  const std::size_t closing = text.find("</");
  const bool has_elements = closing != text.npos && text.find('<') < closing;
  for (std::size_t at = 0; at < text.size();) {
    const document::Range kept = document::find_kept(text, at);
    find_parts(text, at, kept.begin, has_elements, parts);
    const bool is_emoji = kept.begin < kept.end && static_cast<unsigned char>(text[kept.begin]) >= 0x80;
    if (is_emoji) parts.push_back({{static_cast<std::uint32_t>(kept.begin), static_cast<std::uint32_t>(kept.end)}});
    at = kept.end;
  }
  return parts;
}

}  // namespace dragoman::search
