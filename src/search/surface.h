#pragma once

#include <span>
#include <string>
#include <vector>

#include "text/tokenizer.h"

// The text of a translation. A vocabulary cannot spell every word that a user asks for: an unknown word decodes to
// "<unk>", and a vocabulary in lower case has no capitals. Such words are written literally, in the place of their
// tokens.
namespace dragoman::search {

// Words and their tokens.
struct Spelling {
  std::string text;
  std::vector<std::int32_t> ids{};
  std::vector<text::Span> spans{};  // the bytes of `text` that each token covers
};

// Words as they are tokenised at the beginning of a sentence, and in the middle of it, which some tokenizers
// distinguish.
Spelling spell(const text::Tokenizer& tokenizer, const std::string& words);
Spelling spell_in_sentence(const text::Tokenizer& tokenizer, const std::string& words);

// The beginning of a translation. A mark at its end that opens or links belongs to the word that follows, and capitals
// are those of these words only, unless the whole translation is in capitals.
Spelling spell_prefix(const text::Tokenizer& tokenizer, const std::string& words, bool is_in_capitals);

// A spelling whose tokens start at position `first` of a translation.
struct Literal {
  std::size_t first;
  const Spelling* spelling;
};

struct Surface {
  std::string text;
  std::vector<text::Span> spans;  // the bytes of each token
};

// Decodes `ids` and writes the literals, which are in order and do not overlap, exactly as their users spelled them.
Surface decode(const text::Tokenizer& tokenizer, std::span<const std::int32_t> ids, std::span<const Literal> literals);

}  // namespace dragoman::search
