#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace dragoman::text {

// Checks a serialised SentencePiece model before the library loads it. The library trusts two things that a file can
// get wrong: the map of characters for normalisation, a double-array trie that it walks without bounds, and pieces,
// whose length decides how long loading takes. Throws Error with the reason. What else is wrong, the library finds
// itself.
void check_sentencepiece_model(std::string_view model);

// The pieces of a model, by their numbers.
std::vector<std::string> sentencepiece_pieces(const std::string& model);

// Checks a model and loads it. Throws Error if the library refuses it.
std::unique_ptr<sentencepiece::SentencePieceProcessor> load_sentencepiece(const std::string& model);

}  // namespace dragoman::text
