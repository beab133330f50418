#include "search/identifiers.h"

#include <algorithm>

#include "base/ascii.h"

namespace dragoman::search {
namespace {

bool is_hex_letter(char c) { return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_part(char c) { return is_ascii_digit(c) || is_ascii_letter(c) || c == '-' || c == ':'; }

// Hexadecimal digits of both kinds, 12 to 128, or groups of them between colons.
bool is_hexadecimal(std::string_view word) {
  constexpr std::ptrdiff_t kFewest = 12, kMost = 128, kFewestColons = 3, kFewestOfAKind = 2;
  if (std::ssize(word) > kMost) return false;
  const auto digits = std::count_if(word.begin(), word.end(), is_ascii_digit);
  const auto letters = std::count_if(word.begin(), word.end(), is_hex_letter);
  const auto colons = std::count(word.begin(), word.end(), ':');
  const auto hyphens = std::count(word.begin(), word.end(), '-');
  if (digits + letters + colons + hyphens != std::ssize(word) || digits < kFewestOfAKind || letters < kFewestOfAKind)
    return false;
  return colons > 0 ? hyphens == 0 && (colons >= kFewestColons || word.find("::") != word.npos)
                    : digits + letters >= kFewest;
}

// The end of the IBAN that begins at `at` with groups of four, or `at`: two letters, two digits, then letters and
// digits.
std::size_t end_of_iban(std::string_view text, std::size_t at) {
  constexpr std::size_t kGroup = 4, kFewest = 15, kMost = 34;
  const std::string_view first = text.substr(at, kGroup + 1);
  if (first.size() <= kGroup || !is_ascii_capital(first[0]) || !is_ascii_capital(first[1]) ||
      !is_ascii_digit(first[2]) || !is_ascii_digit(first[3]) || first[4] != ' ')
    return at;
  std::size_t end = at + kGroup, count = kGroup;
  while (end < text.size() && text[end] == ' ') {
    std::size_t next = end + 1;
    while (next < text.size() && (is_ascii_digit(text[next]) || is_ascii_capital(text[next]))) ++next;
    const std::size_t size = next - end - 1;
    if (size == 0 || size > kGroup || count + size > kMost || (next < text.size() && is_ascii_letter(text[next])))
      break;
    end = next;
    count += size;
    if (size < kGroup) break;
  }
  return count >= kFewest ? end : at;
}

// The length of the text's beginning if it has a shape, in which 0 is any digit, or 0.
std::size_t length_of(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return 0;
  const bool fits = std::equal(shape.begin(), shape.end(), text.begin(),
                               [](char wanted, char c) { return wanted == '0' ? is_ascii_digit(c) : wanted == c; });
  return fits ? shape.size() : 0;
}

// The end of the ISO time that begins at `at`, or `at`: 2024-05-06T10:00, perhaps with seconds, their fraction and the
// time zone.
std::size_t end_of_iso_time(std::string_view text, std::size_t at) {
  std::size_t end = at + length_of(text.substr(at), "0000-00-00T00:00");
  if (end == at) return at;
  if (const std::size_t seconds = length_of(text.substr(end), ":00")) {
    end += seconds;
    if (length_of(text.substr(end), ".0") > 0)
      for (++end; end < text.size() && is_ascii_digit(text[end]);) ++end;
  }
  for (const std::string_view zone : {"Z", "+00:00", "-00:00", "+0000", "-0000"})
    if (const std::size_t length = length_of(text.substr(end), zone)) return end + length;
  return end;
}

// The end of the bank's code that begins at `at`, or `at`: eight or eleven capitals and digits, of which the first six
// are letters, shortly after the name of such codes.
std::size_t end_of_bic(std::string_view text, std::size_t at) {
  constexpr std::size_t kShort = 8, kLong = 11, kLetters = 6, kNear = 16;
  const std::string_view before = text.substr(at - std::min(at, kNear), std::min(at, kNear));
  if (before.find("BIC") == before.npos && before.find("SWIFT") == before.npos) return at;
  std::size_t end = at;
  while (end < text.size() && (is_ascii_capital(text[end]) || (is_ascii_digit(text[end]) && end - at >= kLetters)))
    ++end;
  return end - at == kShort || end - at == kLong ? end : at;
}

}  // namespace

std::vector<text::Span> find_identifiers(std::string_view text) {
  std::vector<text::Span> spans;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_part(text[at]) || (at > 0 && (is_part(text[at - 1]) || static_cast<unsigned char>(text[at - 1]) >= 0x80)))
      continue;
    std::size_t end = std::max({end_of_iban(text, at), end_of_bic(text, at), end_of_iso_time(text, at)});
    if (end == at) {
      std::size_t word = at;
      while (word < text.size() && is_part(text[word])) ++word;
      while (word > at && (text[word - 1] == ':' || text[word - 1] == '-')) --word;
      if (is_hexadecimal(text.substr(at, word - at))) end = word;
    }
    if (end == at) continue;
    spans.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
    at = end;
  }
  return spans;
}

}  // namespace dragoman::search
