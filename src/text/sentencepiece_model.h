#pragma once

#include <string_view>

namespace dragoman::text {

// Checks a serialised SentencePiece model before the library loads it. The library trusts two things that a file can
// get wrong: the map of characters for normalisation, a double-array trie that it walks without bounds, and pieces,
// whose length decides how long loading takes. Throws Error with the reason. What else is wrong, the library finds
// itself.
void check_sentencepiece_model(std::string_view model);

}  // namespace dragoman::text
