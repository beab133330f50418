#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

// A tokenizer as bytes: the line "dragoman-tokenizer 1", one line of JSON that names its kind and settings, and data
// in that kind's own form up to the end.
namespace dragoman::text {

struct TokenizerFile {
  nlohmann::json header;
  std::string data;
};

std::string pack(const TokenizerFile& file);
TokenizerFile unpack(std::string_view bytes);

// Reads and writes one tokenizer in a file of its own, which appears whole or not at all.
std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path);
void save_tokenizer(const Tokenizer& tokenizer, const std::string& path);

}  // namespace dragoman::text
