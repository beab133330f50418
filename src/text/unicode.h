#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

// Code points, their classes, normalisation and case. Classes follow Unicode's general category.
namespace dragoman::text {

// One code point of a string. A byte that is not part of valid UTF-8 is a code point of its own, with `valid` false,
// code U+FFFD and length 1.
struct CodePoint {
  char32_t code = 0;
  std::uint8_t length = 1;
  bool valid = true;
};

// The code point that starts at byte `at` of `text`; at < text.size().
CodePoint decode_multibyte(std::string_view text, std::size_t at);
inline CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {byte, 1, true};
  return decode_multibyte(text, at);
}
// The code point that ends before byte `end`; end > 0.
CodePoint code_point_before(std::string_view text, std::size_t end);

// All code points of `text` in order.
std::vector<char32_t> code_points(std::string_view text);

void append_utf8(char32_t code, std::string& out);
bool is_ascii(std::string_view text);

enum class CharClass : std::uint8_t { letter, mark, number, punctuation, symbol, space, other };

// `space` is Unicode's White_Space, regardless of category. Letters, marks and numbers that are newer than the
// installed utf8proc are recognised too, so that results do not depend on the machine.
CharClass classify(char32_t code);
bool is_upper(char32_t code);  // upper or title case
bool is_lower(char32_t code);
bool is_digit(char32_t code);  // Nd: decimal digits of any script
bool is_punctuation_or_symbol(char32_t code);
bool is_opening(char32_t code);  // Ps, Pi: brackets and quotation marks that open
bool is_dash(char32_t code);     // Pd: hyphens and dashes
char32_t to_lower(char32_t code);
char32_t to_upper(char32_t code);

enum class NormalForm { none, nfc, nfkc };

// These functions copy bytes that are not valid UTF-8 unchanged.
std::string normalize(std::string_view text, NormalForm form);
std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);  // ß becomes SS
// Full case folding, for case-insensitive comparison: "Straße" and "STRASSE" both give "strasse".
std::string fold_case(std::string_view text);

// An edited text that maps each of its bytes to bytes of the original.
class MappedText {
 public:
  // Initially unchanged.
  explicit MappedText(std::string_view original) : text_(original) {}

  const std::string& text() const { return text_; }
  // The bytes of the original that bytes [begin, end) of text() come from.
  Span original(std::uint32_t begin, std::uint32_t end) const;

  // These edit text() and update the map.
  void normalize(NormalForm form);
  void lower_case();
  // Replaces each span of text() by the string beside it. Spans must be in order and must not overlap.
  void replace(const std::vector<std::pair<Span, std::string>>& changes);

 private:
  // begin_[i], end_[i]: the original bytes that byte i comes from; empty while nothing has changed.
  std::string text_;
  std::vector<std::uint32_t> begin_, end_;
};

}  // namespace dragoman::text
