#pragma once

#include <string_view>

#include "text/language.h"

// How words of English and German change: enough to tell another form of a word from another word.
namespace dragoman::text {

// Whether `letters` may follow a word as an ending of inflection: "s" in English, "en" in German. Languages without
// rules have none.
bool is_inflection(Language language, std::string_view letters);

// Whether `letters` that follow a word make a compound of it: "sentwurf" after "Vertrag", but neither "in" after
// "Lehrer", which is another word, nor any letters in a language that writes compounds apart.
bool completes_compound(Language language, std::string_view letters);

}  // namespace dragoman::text
