#include "text/units.h"

#include "text/code_ranges.h"
#include "text/unicode.h"

namespace dragoman::text {
namespace {

struct Script {
  char32_t first, last;
};

// Scripts written without spaces between words, in ascending order.
constexpr Script kWithoutSpaces[] = {
    {0x0e00, 0x0eff},    // Thai, Lao
    {0x1000, 0x109f},    // Myanmar
    {0x1780, 0x17ff},    // Khmer
    {0x2e80, 0x312f},    // radicals, kana, Bopomofo
    {0x3190, 0x9fff},    // Han and its extension A
    {0xf900, 0xfaff},    // compatibility ideographs
    {0xff66, 0xff9f},    // half-width katakana
    {0x20000, 0x3ffff},  // further extensions of Han
};

bool continues_word(CharClass kind) {
  return kind == CharClass::letter || kind == CharClass::mark || kind == CharClass::number;
}

}  // namespace

bool is_written_without_spaces(char32_t code) { return find_range(kWithoutSpaces, code) != nullptr; }

std::vector<Unit> split_units(std::string_view text) {
  std::vector<Unit> units;
  bool open = false;  // whether the last unit can grow
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    const CharClass kind = classify(point.code);
    const auto begin = static_cast<std::uint32_t>(at), end = static_cast<std::uint32_t>(at + point.length);
    at = end;
    const bool has_unit_before = !units.empty() && units.back().span.end == begin;
    if (kind == CharClass::space) {
      open = false;
    } else if (has_unit_before &&
               (kind == CharClass::mark || (open && continues_word(kind) && !is_written_without_spaces(point.code)))) {
      units.back().span.end = end;
    } else {
      units.push_back({{begin, end}, continues_word(kind)});
      open = continues_word(kind) && !is_written_without_spaces(point.code);
    }
  }
  return units;
}

}  // namespace dragoman::text
