#include "recipe/yaml_map.h"

#include <algorithm>

#include "base/yaml.h"

namespace dragoman::recipe {

YamlMap::YamlMap(const YAML::Node& node, std::string where) : node_(node), where_(std::move(where)) {
  if (!node_.Mark().is_null()) where_ += fmt::format(" (line {})", node_.Mark().line + 1);
  check(node_.IsMap() || node_.IsNull(), "{}: expected a map of settings", where_);
}

YAML::Node YamlMap::find(const char* key) {
  known_.emplace_back(key);
  return node_.IsMap() ? YAML::Node(node_[key]) : YAML::Node(YAML::NodeType::Undefined);
}

void YamlMap::check_shape(bool holds, const char* key, const char* expected) const {
  check(holds, "{}: '{}' must be {}", where_, key, expected);
}

std::string YamlMap::text(const char* key, const std::string& otherwise) {
  const YAML::Node node = find(key);
  if (!node.IsDefined()) return otherwise;
  check_shape(node.IsScalar(), key, "a text");
  return node.Scalar();
}

std::vector<std::string> YamlMap::texts(const char* key) {
  const YAML::Node node = find(key);
  if (!node.IsDefined()) return {};
  if (node.IsScalar()) return {node.Scalar()};
  return with_place(where_ + ": '" + key + "'", [&] { return plain_values(node); });
}

bool YamlMap::flag(const char* key) {
  const std::string value = text(key, "false");
  return with_place(where_ + ": '" + key + "'", [&] { return text_value::parse_bool(value); });
}

int YamlMap::integer(const char* key, int otherwise, int low, int high) {
  const std::string value = text(key, std::to_string(otherwise));
  const std::int64_t number = with_place(where_ + ": '" + key + "'", [&] { return text_value::parse_integer(value); });
  check(number >= low && number <= high, "{}: '{}' must be from {} to {}", where_, key, low, high);
  return static_cast<int>(number);
}

std::vector<std::pair<std::string, YAML::Node>> YamlMap::entries(const char* key) {
  const YAML::Node node = find(key);
  if (!node.IsDefined()) return {};
  check_shape(node.IsMap(), key, "a map");
  std::vector<std::pair<std::string, YAML::Node>> list;
  for (const auto& entry : node) list.emplace_back(entry.first.Scalar(), entry.second);
  return list;
}

YamlMap YamlMap::part(const char* key) {
  const YAML::Node node = find(key);
  return {node.IsDefined() ? node : YAML::Node(), where_ + ": " + key};
}

std::vector<YAML::Node> YamlMap::elements(const char* key) {
  const YAML::Node node = find(key);
  if (!node.IsDefined()) return {};
  check_shape(node.IsSequence(), key, "a list");
  return {node.begin(), node.end()};
}

YAML::Node YamlMap::expanded(const YAML::Node& node, const char* key) {
  if (!node.IsScalar()) return node;
  YAML::Node map;
  map[key] = node;
  return map;
}

void YamlMap::finish() const {
  if (!node_.IsMap()) return;
  for (const auto& entry : node_) {
    const std::string key = entry.first.Scalar();
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string near = nearest(key, known_);
    fail("{}: unknown key '{}'{}", where_, excerpt(key), near.empty() ? "" : "; did you mean '" + near + "'?");
  }
}

}  // namespace dragoman::recipe
