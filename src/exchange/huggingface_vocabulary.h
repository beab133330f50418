#pragma once

#include <string>
#include <vector>

#include "exchange/huggingface_folder.h"
#include "text/mapped_pieces.h"

// Vocabularies of models that come from fairseq: <s>, <pad>, </s> and <unk> are ids 0 to 3, and tags of languages
// follow the pieces.
namespace dragoman::exchange {

// Tokens that the tokenizer of a folder has besides its pieces, in the order of their ids. They are in
// special_tokens_map.json, tokenizer_config.json or tokenizer.json.
std::vector<std::string> added_tokens(const HuggingFaceFolder& folder);

// The pieces of a SentencePiece model in fairseq's order: each has its own number plus one.
std::vector<std::string> fairseq_pieces(const std::string& model);

// The map of such a vocabulary. Every token of `added` gets the next id; those for which `language` returns a name
// become tags.
text::PieceMap fairseq_map(std::vector<std::string> pieces, const std::vector<std::string>& added,
                           std::string (*language)(const std::string& token));

// Serialises the tokenizer of both sides. Errors begin with the folder.
std::string mapped_tokenizer(const HuggingFaceFolder& folder, const std::string& model, text::PieceMap map);

}  // namespace dragoman::exchange
