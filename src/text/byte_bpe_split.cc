#include "text/byte_bpe_split.h"

#include <array>

#include "text/unicode.h"

namespace dragoman::text {
namespace {

enum class Kind : unsigned char { letter, number, space, other, multibyte };

constexpr std::array<Kind, 256> kByteKinds = [] {
  std::array<Kind, 256> kinds{};
  for (int byte = 0; byte < 256; ++byte) {
    const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    const bool space = byte == ' ' || (byte >= 0x09 && byte <= 0x0D);
    kinds[byte] = byte >= 0x80                 ? Kind::multibyte
                  : letter                     ? Kind::letter
                  : byte >= '0' && byte <= '9' ? Kind::number
                  : space                      ? Kind::space
                                               : Kind::other;
  }
  return kinds;
}();

struct Char {
  Kind kind;
  std::size_t length;
};

Char multibyte_at(std::string_view text, std::size_t at) {
  const CodePoint point = decode_multibyte(text, at);
  if (!point.valid) return {Kind::other, 1};
  switch (classify(point.code)) {
    case CharClass::letter: return {Kind::letter, point.length};
    case CharClass::number: return {Kind::number, point.length};
    case CharClass::space: return {Kind::space, point.length};
    default: return {Kind::other, point.length};
  }
}

inline Char char_at(std::string_view text, std::size_t at) {
  const Kind kind = kByteKinds[static_cast<unsigned char>(text[at])];
  return kind == Kind::multibyte ? multibyte_at(text, at) : Char{kind, 1};
}

inline std::size_t run_end(std::string_view text, std::size_t at, Kind kind) {
  while (at < text.size()) {
    const Char next = char_at(text, at);
    if (next.kind != kind) break;
    at += next.length;
  }
  return at;
}

// Length of the clitic that starts at an apostrophe, or 0.
std::size_t clitic_length(std::string_view rest) {
  if (rest.size() < 2) return 0;
  const char first = rest[1], second = rest.size() > 2 ? rest[2] : '\0';
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const bool two =
      (first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l');
  return two ? 3 : 0;
}

// A run of white space leaves its last character to the word that follows, unless it is the only one.
std::size_t spaces_end(std::string_view text, std::size_t begin) {
  std::size_t at = begin, last = begin;
  while (at < text.size()) {
    const Char next = char_at(text, at);
    if (next.kind != Kind::space) break;
    last = at;
    at += next.length;
  }
  return at == text.size() || last == begin ? at : last;
}

}  // namespace

std::size_t byte_bpe_piece_end(std::string_view text, std::size_t begin) {
  if (text[begin] == '\'')
    if (const std::size_t length = clitic_length(text.substr(begin))) return begin + length;
  const std::size_t word = begin + (text[begin] == ' ' ? 1 : 0);
  if (word < text.size()) {
    const Char first = char_at(text, word);
    if (first.kind != Kind::space) return run_end(text, word + first.length, first.kind);
  }
  return spaces_end(text, begin);
}

}  // namespace dragoman::text
