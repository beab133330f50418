#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/translator.h"
#include "text/tokenizer.h"

// Maps tokens to display words, the stretches of text between Unicode spaces.
namespace dragoman::search {

// For each span, the index of the word it belongs to, or -1.
std::vector<int> words_of(std::string_view text, std::span<const text::Span> spans);

int count_display_words(std::string_view text);

// For each token of a translation, its bytes of `text`, which must be tokenizer.decode(ids). The space before a word
// belongs to its first token.
std::vector<text::Span> target_spans(const text::Tokenizer& tokenizer, std::span<const std::int32_t> ids,
                                     std::string_view text);

// Links each target word to the source word that its tokens attended to most. attention is [target tokens][source
// tokens].
std::vector<AlignmentLink> align_words(const std::vector<std::vector<float>>& attention,
                                       std::span<const int> source_words, std::span<const int> target_words);

// The same between units of the texts that are words (text/units.h). The spans are those of the tokens.
std::vector<SpanLink> align_units(const std::vector<std::vector<float>>& attention, std::string_view source,
                                  std::span<const text::Span> source_spans, std::string_view target,
                                  std::span<const text::Span> target_spans);

// Makes the links of a part of a text, which begins at byte `offset`, those of the text.
void move_sources(std::vector<SpanLink>& links, std::uint32_t offset);

// `text` without the spaces around it.
std::string_view trimmed(std::string_view text);

// Whether a character is a letter, a mark on one or a digit.
bool continues_word(char32_t code);
// Whether bytes [begin, end) of `text` are a whole word or several: neither end is between two characters of a word.
bool stands_alone(std::string_view text, std::size_t begin, std::size_t end);
// Whether bytes [begin, end) overlap with one of `spans`, which are in order.
bool overlaps(std::span<const text::Span> spans, std::size_t begin, std::size_t end);
// The first place where `text` contains `word` as a whole word, or npos.
std::size_t find_word(std::string_view text, std::string_view word);
bool contains_word(std::string_view text, std::string_view word);
bool contains_any_word(std::string_view text, std::span<const std::string> words);

}  // namespace dragoman::search
