#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dragoman/translator.h"
#include "text/tokenizer.h"

// From tokens to the words that people see: what stands between spaces.
namespace dragoman::search {

// For each span, the number of the word its text belongs to, or -1 for none.
std::vector<int> words_of(std::string_view text, std::span<const text::Span> spans);

int count_words(std::string_view text);

// For each token of a translation, the bytes of the text it became.
std::vector<text::Span> target_spans(const text::Tokenizer& tokenizer, std::span<const std::int32_t> ids);

// Each target word with the source word that its tokens attended to most. attention is [target tokens][source tokens].
std::vector<AlignmentLink> align_words(const std::vector<std::vector<float>>& attention,
                                       std::span<const int> source_words, std::span<const int> target_words);
// "0-0 1-2 2-1".
std::string to_pharaoh(const std::vector<AlignmentLink>& links);

// Whether `text` contains `word` between word borders: neither side of it continues a word.
bool contains_word(std::string_view text, std::string_view word);

}  // namespace dragoman::search
