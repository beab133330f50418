#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

// The serialised form of a tokenizer: the line "dragoman-tokenizer 1", a line of JSON with its kind and settings, and
// data in that kind's own format up to the end.
namespace dragoman::text {

struct TokenizerFile {
  nlohmann::json header;
  std::string data;
};

// The kind of a TaggedTokenizer; its data is the file of the tokenizer of the text.
inline constexpr const char* kTaggedKind = "tagged";
// The kind of MappedPieces; its data is the SentencePiece model and the list of pieces as JSON.
inline constexpr const char* kMappedKind = "mapped";

std::string pack(const TokenizerFile& file);
TokenizerFile unpack(std::string_view bytes);

// Reads and writes a tokenizer file. Writing is atomic.
std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path);
void save_tokenizer(const Tokenizer& tokenizer, const std::string& path);

}  // namespace dragoman::text
