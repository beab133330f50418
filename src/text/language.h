#pragma once

#include <string_view>
#include <utility>

#include "base/options.h"

namespace dragoman::text {

// The languages with rules of their own in the word tokenizer. `generic` serves all others; `tokenized` is text whose
// words are already separated by spaces.
enum class Language { generic, english, german, hindi, tokenized };

// The rules for text in the language of this code: German for "de" and "de-AT", generic for a language without rules.
Language language_of(std::string_view code);

// Whether `word`, given without its final period, is an abbreviation that usually has one: "Dr", "usw", "approx".
bool is_abbreviation(Language language, std::string_view word);

// Where a word with an apostrophe is split: the bytes of its left part, or 0 if it stays whole. English splits "it's"
// after "it" and "don't" after "do"; generic splits "l'homme" after the apostrophe.
std::size_t clitic_split(Language language, std::string_view word);

// Whether `token` is the right part of such a word: "'s", "n't".
bool is_enclitic(Language language, std::string_view token);
// Whether `token` is the left part of such a word and attaches to the next token: "l'".
bool is_proclitic(Language language, std::string_view token);

// Length in bytes of the apostrophe (' or U+2019) at `at`; 0 if there is none.
std::size_t apostrophe_at(std::string_view text, std::size_t at);

}  // namespace dragoman::text

namespace dragoman {
template <>
struct EnumNames<text::Language> {
  static constexpr std::pair<text::Language, const char*> list[] = {{text::Language::generic, "generic"},
                                                                    {text::Language::english, "en"},
                                                                    {text::Language::german, "de"},
                                                                    {text::Language::hindi, "hi"},
                                                                    {text::Language::tokenized, "tokenized"}};
};
}  // namespace dragoman
