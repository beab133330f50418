#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

// Code points, their classes, normal forms and case. Classes are those of Unicode's general category.
namespace dragoman::text {

// One code point of a string. A byte that is not part of valid UTF-8 is a code point of its own: `valid` false, code
// U+FFFD, length 1.
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
bool is_valid_utf8(std::string_view text);
bool is_ascii(std::string_view text);

enum class CharClass : std::uint8_t { letter, mark, number, punctuation, symbol, space, other };

// `space` is Unicode's White_Space, whatever the category. Letters, marks and numbers that Unicode assigned later than
// the installed utf8proc knows are recognised too, so that the answer does not depend on the machine.
CharClass classify(char32_t code);
bool is_upper(char32_t code);  // upper or title case
bool is_lower(char32_t code);
bool is_digit(char32_t code);  // Nd: decimal digits of any script
char32_t to_lower(char32_t code);
char32_t to_upper(char32_t code);

enum class NormalForm { none, nfc, nfkc };

// Bytes that are not valid UTF-8 are kept as they are, by all three.
std::string normalize(std::string_view text, NormalForm form);
std::string lower_case(std::string_view text);
// Full case folding, for comparing without case: "Straße" and "STRASSE" both give "strasse".
std::string fold_case(std::string_view text);

// A changed text that remembers which bytes of the original each of its bytes came from.
class MappedText {
 public:
  // Nothing changed yet.
  explicit MappedText(std::string_view original) : text_(original) {}

  const std::string& text() const { return text_; }
  // The bytes of the original that bytes [begin, end) of text() stand for.
  Span original(std::uint32_t begin, std::uint32_t end) const;

  // Each rewrites text() and keeps the map.
  void normalize(NormalForm form);
  void lower_case();
  // Replaces each span of text() (in order, not overlapping) by the string beside it.
  void replace(const std::vector<std::pair<Span, std::string>>& changes);

 private:
  // begin_[i], end_[i]: the original bytes that byte i stands for; empty while nothing has changed.
  std::string text_;
  std::vector<std::uint32_t> begin_, end_;
};

}  // namespace dragoman::text
