#include "data/utf8.h"

#include <cstring>

namespace dragoman::data {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080u;
constexpr std::uint64_t kOnes = 0x0101010101010101u;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Length of the valid character at the front of `text`, 0 when there is none (Unicode 15, table 3-7: no overlong
// forms, no surrogates, nothing above U+10FFFF).
std::size_t valid_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead != 0 ? 1 : 0;
  const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (!is_continuation(text[i])) return 0;
  return length;
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (at + 8 <= text.size()) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + at, 8);
      const bool has_zero = ((word - kOnes) & ~word & kHighBits) != 0;
      if ((word & kHighBits) == 0 && !has_zero) {
        at += 8;
        continue;
      }
    }
    const std::size_t length = valid_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size() + 8);
  for (;;) {
    const std::size_t bad = find_invalid_utf8(text);
    valid.append(text.substr(0, bad));
    if (bad == std::string_view::npos) return valid;
    valid.append("\xEF\xBF\xBD");
    text.remove_prefix(bad + 1);
  }
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += is_continuation(c) ? 0 : 1;
  return count;
}

}  // namespace dragoman::data
