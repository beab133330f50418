#include "document/addresses.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "document/markup_tokens.h"
#include "document/quotation_marks.h"
#include "text/unicode.h"

namespace dragoman::document {
namespace {

constexpr std::string_view kBeginnings[] = {"http://", "https://", "ftp://", "mailto:", "www."};
constexpr std::size_t kLongestLocalPart = 64, kLongestDomain = 253;  // bytes (RFC 5321)
constexpr char32_t kFirstWithoutSpaces = 0x2e80;                     // Chinese, Japanese and Korean follow

bool is_letter_or_digit(char c) { return is_ascii_letter(c) || is_ascii_digit(c); }
bool is_among(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Whether a reference other than "&amp;" begins at `at`.
bool begins_reference(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestName = 32;
  if (text[at] != '&' || text.substr(at).starts_with("&amp;")) return false;
  std::size_t end = at + 1;
  while (end < text.size() && end - at <= kLongestName && (is_letter_or_digit(text[end]) || text[end] == '#')) ++end;
  return end > at + 1 && end < text.size() && text[end] == ';';
}

// The number of bytes of the character at `at` if it may be part of a URL, and otherwise 0.
std::size_t url_character(std::string_view text, std::size_t at) {
  const text::CodePoint point = text::code_point_at(text, at);
  if (point.code >= 0x80) {
    const bool is_word = text::classify(point.code) == text::CharClass::letter;
    return is_word && point.code < kFirstWithoutSpaces ? point.length : 0;
  }
  const char c = text[at];
  return c > ' ' && c != 0x7f && !is_among(c, "<>\"`{}|\\^") && !begins_reference(text, at) ? 1 : 0;
}

// Drops punctuation, and brackets that were not opened in [begin, end).
std::size_t without_punctuation(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view url = text.substr(begin, end - begin);
  const auto count = [&](char c) { return std::count(url.begin(), url.end(), c); };
  std::ptrdiff_t round = count(')') - count('('), square = count(']') - count('[');  // how many are too many
  for (; end > begin; --end) {
    const char last = text[end - 1];
    if (last == ')' && round > 0)
      --round;
    else if (last == ']' && square > 0)
      --square;
    else if (!is_among(last, ".,;:!?'*_~"))
      break;
  }
  return end;
}

// The end of the URL that begins at `at`, or `at` if there is none.
std::size_t end_of_url(std::string_view text, std::size_t at) {
  const auto beginning = std::find_if(std::begin(kBeginnings), std::end(kBeginnings), [&](std::string_view one) {
    return same_ignoring_case(text.substr(at, one.size()), one);
  });
  if (beginning == std::end(kBeginnings)) return at;
  const std::size_t host = at + beginning->size();
  std::size_t end = host;
  while (end < text.size()) {
    const std::size_t length = url_character(text, end);
    if (length == 0) break;
    end += length;
  }
  end = without_punctuation(text, host, end);
  return end > host ? end : at;
}

// Whether a character may be in the name of an address: a letter of a script with spaces, or a digit.
bool is_address_name(char32_t code) {
  if (code < 0x80) return is_letter_or_digit(static_cast<char>(code));
  return code < kFirstWithoutSpaces && text::classify(code) == text::CharClass::letter;
}

// The end of the domain, with a path if there is one, that begins at `at`, or `at` if there is none: example.org.
std::size_t end_of_domain(std::string_view text, std::size_t at) {
  constexpr std::array kEndings = std::to_array<std::string_view>(
      {"com", "org", "net", "info", "edu", "gov", "eu", "de", "at", "ch", "fr", "uk", "io", "dev", "app"});
  if (at > 0) {
    const text::CodePoint before = text::code_point_before(text, at);
    if (is_address_name(before.code) || (before.code < 0x80 && is_among(static_cast<char>(before.code), "-._@/\\")))
      return at;
  }
  const std::size_t last = std::min(text.size(), at + kLongestDomain);
  std::size_t end = at, label = at;  // the label after the last dot
  while (end < last) {
    const text::CodePoint point = text::code_point_at(text, end);
    const bool is_dot = point.code == U'.' && end + 1 < text.size() && is_letter_or_digit(text[end + 1]);
    if (!is_dot && point.code != U'-' && !is_address_name(point.code)) break;
    end += point.length;
    if (is_dot) label = end;
  }
  constexpr std::size_t kShortestName = 2;
  const std::string_view ending = text.substr(label, end - label);
  if (label < at + kShortestName + 1 || std::find(kEndings.begin(), kEndings.end(), ending) == kEndings.end())
    return at;
  if (end == text.size() || text[end] != '/') return end < text.size() && is_among(text[end], "@_") ? at : end;
  while (end < text.size() && url_character(text, end) > 0) end += url_character(text, end);
  return without_punctuation(text, at, end);
}

// The address around the '@' at `at`, not before `begin`; empty if there is none.
Range mail_around(std::string_view text, std::size_t begin, std::size_t at) {
  Range address{at, at + 1};
  const std::size_t first = std::max(begin, at - std::min(at, kLongestLocalPart));
  for (std::size_t before = at; before > first;) {
    const text::CodePoint point = text::code_point_before(text, before);
    const bool is_mark = point.code < 0x80 && is_among(static_cast<char>(point.code), "._%+-");
    if (point.length > before - first || !(is_mark || is_address_name(point.code))) break;
    before -= point.length;
    if (!is_mark) address.begin = before;
  }
  const std::size_t last = std::min(text.size(), at + 1 + kLongestDomain);
  for (std::size_t after = at + 1; after < last;) {
    const text::CodePoint point = text::code_point_at(text, after);
    const bool is_mark = point.code == U'.' || point.code == U'-';
    if (!(is_mark || is_address_name(point.code))) break;
    after += point.length;
    if (!is_mark) address.end = after;
  }
  const std::string_view domain = text.substr(at + 1, address.end - at - 1);
  const std::size_t dot = domain.rfind('.');
  const bool is_domain =
      dot != domain.npos && dot > 0 && domain.size() - dot > 2 &&
      std::all_of(domain.begin() + static_cast<std::ptrdiff_t>(dot) + 1, domain.end(), is_ascii_letter);
  return is_domain && address.begin < at ? address : Range{at, at};
}

constexpr char32_t kJoiner = 0x200d, kAsPicture = 0xfe0f;

bool is_picture(char32_t code) {
  return (code >= 0x1f000 && code <= 0x1faff) || (code >= 0x2600 && code <= 0x27bf) || code == 0x2b50 ||
         code == 0x2b55 || (code >= 0x231a && code <= 0x231b) || (code >= 0x23e9 && code <= 0x23fa);
}

bool continues_picture(char32_t code) {
  return is_picture(code) || code == kJoiner || code == kAsPicture || (code >= 0xe0020 && code <= 0xe007f);
}

// The end of the emoji that begin at `at`, or `at` if there are none.
std::size_t end_of_emoji(std::string_view text, std::size_t at) {
  constexpr char kFirstByte = '\xe2';  // of U+2000; the others have a larger one
  if (static_cast<unsigned char>(text[at]) < static_cast<unsigned char>(kFirstByte)) return at;
  if (!is_picture(text::code_point_at(text, at).code)) return at;
  std::size_t end = at;
  while (end < text.size()) {
    const text::CodePoint point = text::code_point_at(text, end);
    if (!continues_picture(point.code)) break;
    end += point.length;
  }
  return end;
}

// Either emoji are found or domains, which sentences need: "Booking.com is a company".
Range find(std::string_view text, std::size_t begin, bool with_emoji) {
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (with_emoji) {
      const std::size_t end = end_of_emoji(text, at);
      if (end > at) return {at, end};
    }
    if (text[at] == '@') {
      const Range address = mail_around(text, begin, at);
      if (address.begin < address.end) return address;
    } else if (is_ascii_letter(text[at]) && (at == 0 || !is_letter_or_digit(text[at - 1]))) {
      std::size_t end = end_of_url(text, at);
      if (end == at && !with_emoji) end = end_of_domain(text, at);
      if (end > at) return {at, end};
    }
  }
  return {text.size(), text.size()};
}

}  // namespace

Range find_address(std::string_view text, std::size_t begin) { return find(text, begin, false); }
Range find_kept(std::string_view text, std::size_t begin) { return find(text, begin, true); }

Range with_marks(std::string_view text, std::size_t begin, Range found) {
  constexpr auto kPairs = and_quotation_marks({{"(", ")"}, {"[", "]"}});
  if (found.begin == found.end) return found;
  const std::string_view before = text.substr(begin, found.begin - begin), after = text.substr(found.end);
  for (const auto& [opening, closing] : kPairs)
    if (before.ends_with(opening) && after.starts_with(closing))
      return {found.begin - opening.size(), found.end + closing.size()};
  return found;
}

Range find_kept_with_marks(std::string_view text, std::size_t begin) {
  return with_marks(text, begin, find_kept(text, begin));
}

}  // namespace dragoman::document
