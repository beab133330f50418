#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

// What may stand beside a required term in its word. A term may be inflected, but an address with an ending is another
// address, and a number with one more digit another number.
namespace dragoman::search {

enum class Ending : std::uint8_t {
  any,
  inflected,  // no letter or digit precedes, and at most kLongestInflection letters follow
  word,       // no letter or digit precedes or follows
  no_digit,   // no digit follows, also not after a point: 1.2 is not 1.2.3
  none,       // a space, closing punctuation or the end follows, and no hyphen precedes
};

// Letters of an ending: "s" and "ing", "ern", "lar". More make another word.
inline constexpr std::size_t kLongestInflection = 3;

// The ending of a word that a user asks for: words of alphabets with small letters and capitals may be inflected, and
// of scripts without, where spaces may not separate words, nothing is known.
Ending ending_of(std::string_view term);

// How the text of a token begins after a word.
enum class TokenStart : std::uint8_t {
  space,
  point,  // only points, commas and colons, which may join digits
  mark,   // only punctuation that may close a word
  digit,
  letter,
  other,
};

struct TokenEdges {
  TokenStart start = TokenStart::other;
  bool links = false;     // it joins the next word to the one before, as a hyphen does
  bool glues = false;     // it leaves nothing between these words
  bool inflects = false;  // it may be an ending of inflection
};

// Of all tokens. Marks of sentences, which have no text, count as `space`.
std::vector<TokenEdges> token_edges(const text::Tokenizer& tokenizer);

// Whether a term may begin after such a token.
bool may_precede(Ending ending, const TokenEdges& edges);
// Whether such a token may follow a term.
bool may_follow(Ending ending, const TokenEdges& edges);
// What holds after such a token: a term is over with the next space, a number also with the next word.
Ending after(Ending ending, const TokenEdges& edges);

// How often `text` contains `part` as a whole word or several, between what its ending allows. A word that may be
// inflected may begin with a capital.
std::size_t count_whole(std::string_view text, std::string_view part, Ending ending);
inline bool contains_whole(std::string_view text, std::string_view part, Ending ending) {
  return count_whole(text, part, ending) > 0;
}
// Whether `following`, the text after a term, keeps to its ending.
bool is_kept(Ending ending, std::string_view following);

}  // namespace dragoman::search
