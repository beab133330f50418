#include "data/utf8.h"

#include <cstring>

#include "text/unicode.h"

namespace dragoman::data {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080u;
constexpr std::uint64_t kOnes = 0x0101010101010101u;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::size_t find_invalid_utf8(std::string_view sentence) {
  std::size_t at = 0;
  while (at < sentence.size()) {
    if (at + 8 <= sentence.size()) {
      std::uint64_t word;
      std::memcpy(&word, sentence.data() + at, 8);
      const bool has_zero = ((word - kOnes) & ~word & kHighBits) != 0;
      if ((word & kHighBits) == 0 && !has_zero) {
        at += 8;
        continue;
      }
    }
    const text::CodePoint point = text::code_point_at(sentence, at);
    if (!point.valid || point.code == 0) return at;
    at += point.length;
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
