#include "run/result_json.h"

#include <nlohmann/json.hpp>

#include "align/alignment.h"
#include "run/explanation_json.h"

namespace dragoman::run {

using Json = nlohmann::ordered_json;

Json to_json(const Translation& translation) {
  Json json{{"text", translation.text},
            {"score", translation.score},
            {"log_probability", translation.log_probability},
            {"tokens", translation.tokens},
            {"token_scores", translation.token_scores}};
  if (!translation.alignment.empty()) json["alignment"] = align::to_pharaoh(translation.alignment);
  if (!translation.attention.empty()) json["attention"] = translation.attention;
  if (!translation.past_attention.empty()) json["past_attention"] = translation.past_attention;
  return json;
}

Json to_json(std::uint64_t line, const Request& request, const TranslationResult& result) {
  Json translations = Json::array();
  for (const Translation& translation : result.translations) translations.push_back(to_json(translation));
  Json json{{"line", line},
            {"source", request.text},
            {"source_tokens", result.source_tokens},
            {"parts", result.parts},
            {"translations", translations}};
  for (const Explanation& explanation : result.explanations) json["explanations"].push_back(to_json(explanation));
  return json;
}

Json tree_to_json(std::uint64_t line, const Request& request, const TranslationResult& result) {
  Json nodes = Json::array();
  for (const TreeNode& node : result.tree) nodes.push_back(to_json(node));
  return {{"line", line}, {"source", request.text}, {"nodes", nodes}};
}

report::BeamTree tree_from_json(const Json& json) {
  report::BeamTree tree;
  tree.title = json.at("source");
  for (const Json& node : json.at("nodes"))
    tree.nodes.push_back({node.at("parent"), node.at("token"), node.at("log_probability"), node.at("score"),
                          node.at("finished"), node.at("best")});
  return tree;
}

}  // namespace dragoman::run
