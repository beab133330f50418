#include "run/explanation_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "text/characters.h"

namespace dragoman::run {
namespace {

using Json = nlohmann::ordered_json;

using text::Characters;

Json place(const TextToken& token, const Characters& text) {
  Json json{{"token", token.token},
            {"begin", text.before(static_cast<std::size_t>(token.begin))},
            {"end", text.before(static_cast<std::size_t>(token.end))}};
  if (token.word >= 0) json["word"] = token.word;
  return json;
}

Json written(const WrittenToken& token, const Characters& text) {
  Json json = place(token.place, text);
  if (std::isnan(token.log_probability)) return json;
  json["log_probability"] = token.log_probability;
  Json& alternatives = json["alternatives"] = Json::array();
  for (const Alternative& one : token.alternatives) {
    alternatives.push_back({{"token", one.token}, {"probability", one.probability}});
    if (!one.prefix.empty()) alternatives.back()["prefix"] = one.prefix;
  }
  return json;
}

const char* kind_name(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder: return "encoder";
    case AttentionKind::source: return "source";
    case AttentionKind::past: return "past";
  }
  return "";
}

Json weights(const std::vector<std::vector<float>>& rows) {
  Json json = Json::array();
  for (const std::vector<float>& row : rows) {
    Json& numbers = json.emplace_back(Json::array());
    for (const float weight : row) numbers.push_back(std::round(static_cast<double>(weight) * 1e4) / 1e4);
  }
  return json;
}

Json layer(const AttentionLayer& layer) {
  Json heads = Json::array();
  for (const auto& head : layer.heads) heads.push_back(weights(head));
  return {{"kind", kind_name(layer.kind)},
          {"layer", layer.layer},
          {"name", layer.name},
          {"keys", layer.mixtures ? "mixtures" : "tokens"},
          {"heads", std::move(heads)}};
}

}  // namespace

Json to_json(const TreeNode& node) {
  return {{"parent", node.parent}, {"token", node.token},       {"log_probability", node.log_probability},
          {"score", node.score},   {"finished", node.finished}, {"best", node.best}};
}

Json to_json(const Explanation& explanation) {
  const Characters source(explanation.source), text(explanation.text);
  Json source_tokens = Json::array(), tokens = Json::array(), alignment = Json::array(), attention = Json::array(),
       tree = Json::array();
  for (const TextToken& token : explanation.source_tokens) source_tokens.push_back(place(token, source));
  for (const WrittenToken& token : explanation.tokens) tokens.push_back(written(token, text));
  for (const AlignmentLink& link : explanation.alignment) alignment.push_back({link.source, link.target});
  for (const AttentionLayer& one : explanation.attention) attention.push_back(layer(one));
  for (const TreeNode& node : explanation.tree) tree.push_back(to_json(node));
  Json json = {
      {"source", explanation.source}, {"text", explanation.text},          {"source_tokens", std::move(source_tokens)},
      {"tokens", std::move(tokens)},  {"alignment", std::move(alignment)}, {"attention", std::move(attention)},
      {"tree", std::move(tree)}};
  if (explanation.attention_left_out) json["attention_left_out"] = true;
  return json;
}

}  // namespace dragoman::run
