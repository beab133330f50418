#include "base/quote.h"

#include <fmt/format.h>

#include <cstdint>

namespace dragoman {
namespace {

constexpr std::size_t kScreenWidth = 80;

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;
  bool valid = false;
};

// The UTF-8 character at the start of the text: no overlong forms, no surrogates, nothing above U+10FFFF.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || length > text.size()) return {lead, 1, false};
  std::uint32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {lead, 1, false};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {lead, 1, false};
  return {code, length, true};
}

// C0 and C1 controls, line and paragraph separators, and the marks that reorder the text around them.
bool controls_terminal(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// Appends escaped characters until the text ends or there are `most` of them; returns how many bytes were read.
std::size_t append_escaped(std::string_view text, std::size_t most, std::string& to) {
  std::size_t at = 0;
  for (std::size_t shown = 0; at < text.size();) {
    const Character next = first_of(text.substr(at));
    std::string form(text.substr(at, next.length));
    std::size_t width = 1;
    if (!next.valid || controls_terminal(next.code)) {
      form = next.code < 0x100 && next.length == 1 ? fmt::format("\\x{:02X}", next.code)
                                                   : fmt::format("\\u{{{:04X}}}", next.code);
      width = form.size();
    }
    if (shown + width > most) break;
    to += form;
    shown += width;
    at += next.length;
  }
  return at;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string shown;
  append_escaped(text, std::string_view::npos, shown);
  return shown;
}

}  // namespace dragoman

fmt::format_context::iterator fmt::formatter<dragoman::Excerpt>::format(const dragoman::Excerpt& excerpt,
                                                                        format_context& context) const {
  using namespace dragoman;
  std::string shown;
  if (append_escaped(excerpt.text, kScreenWidth, shown) < excerpt.text.size()) {
    shown.clear();
    append_escaped(excerpt.text, kScreenWidth - 1, shown);
    shown += "…";
  }
  return fmt::formatter<fmt::string_view>::format(shown, context);
}
