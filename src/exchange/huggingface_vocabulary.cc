#include "exchange/huggingface_vocabulary.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "text/sentencepiece_model.h"

namespace dragoman::exchange {
namespace {

const std::set<std::string> kMarks = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"};

// A token is a text or an object with its text as `content`.
std::string content_of(const nlohmann::json& token) {
  if (token.is_string()) return token.get<std::string>();
  if (!token.is_object()) return "";
  const auto content = token.find("content");
  return content != token.end() && content->is_string() ? content->get<std::string>() : "";
}

std::vector<std::string> listed_tokens(const JsonConfig& config) {
  std::vector<std::string> tokens;
  for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
    const auto found = config.json().find(key);
    if (found == config.json().end() || !found->is_array()) continue;
    for (const nlohmann::json& token : *found)
      if (const std::string content = content_of(token); !content.empty() && !kMarks.contains(content))
        tokens.push_back(content);
    break;
  }
  return tokens;
}

// tokenizer.json lists added tokens with their ids.
std::vector<std::string> numbered_tokens(const JsonConfig& config) {
  std::map<std::uint64_t, std::string> tokens;
  const auto found = config.json().find("added_tokens");
  if (found == config.json().end() || !found->is_array()) return {};
  for (const nlohmann::json& token : *found) {
    const std::string content = content_of(token);
    const auto id = token.is_object() ? token.find("id") : token.end();
    if (!content.empty() && !kMarks.contains(content) && id != token.end() && id->is_number_unsigned())
      tokens[id->get<std::uint64_t>()] = content;
  }
  std::vector<std::string> list;
  for (auto& [id, content] : tokens) list.push_back(std::move(content));
  return list;
}

}  // namespace

std::vector<std::string> added_tokens(const HuggingFaceFolder& folder) {
  for (const char* name : {"special_tokens_map.json", "tokenizer_config.json"}) {
    if (!folder.has(name)) continue;
    if (std::vector<std::string> tokens = listed_tokens(JsonConfig(folder.file(name))); !tokens.empty()) return tokens;
  }
  if (folder.has("tokenizer.json")) return numbered_tokens(JsonConfig(folder.file("tokenizer.json")));
  return {};
}

std::vector<std::string> fairseq_pieces(const std::string& model) {
  std::vector<std::string> own = text::sentencepiece_pieces(model), pieces = {"<s>", "<pad>", "</s>", "<unk>"};
  constexpr std::size_t kFirst = 3;  // after <unk>, <s> and </s> of the SentencePiece model
  check(own.size() > kFirst, "the SentencePiece model has no pieces");
  pieces.insert(pieces.end(), own.begin() + kFirst, own.end());
  return pieces;
}

text::PieceMap fairseq_map(std::vector<std::string> pieces, const std::vector<std::string>& added,
                           std::string (*language)(const std::string& token)) {
  text::PieceMap map{.pieces = std::move(pieces), .special = {.unknown = 3, .begin = 0, .end = 2, .pad = 1}};
  for (const std::string& token : added) {
    const auto id = static_cast<std::int32_t>(map.pieces.size());
    map.pieces.push_back(token);
    if (const std::string name = language(token); !name.empty()) {
      map.tags.languages.push_back(name);
      map.tags.ids.push_back(id);
    }
  }
  return map;
}

std::string mapped_tokenizer(const HuggingFaceFolder& folder, const std::string& model, text::PieceMap map) {
  try {
    return text::MappedPieces(model, std::move(map)).serialize();
  } catch (const Error& error) {
    fail("{}: {}", folder.path(), error.what());
  }
}

}  // namespace dragoman::exchange
