#pragma once

#include <string_view>
#include <utility>

#include "base/options.h"

namespace dragoman::text {

// The languages whose habits of writing the word tokenizer knows; generic serves all others, and tokenized means text
// whose words stand between spaces already.
enum class Language { generic, english, german, hindi, tokenized };

// Whether `word`, written without its final period, is one that usually carries it: "Dr", "usw", "approx".
bool is_abbreviation(Language language, std::string_view word);

// Where a word with an apostrophe divides: bytes of the left part, or 0 when the word stays whole. English "it's" after
// "it", "don't" after "do"; generic "l'homme" after the apostrophe.
std::size_t clitic_split(Language language, std::string_view word);

// Whether `token` is the second half of such a word: "'s", "n't".
bool is_enclitic(Language language, std::string_view token);
// Whether `token` is the first half of such a word and binds to what follows: "l'".
bool is_proclitic(Language language, std::string_view token);

// Bytes of an apostrophe (' or U+2019) at `at`, or 0.
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
