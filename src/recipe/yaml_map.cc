#include "recipe/yaml_map.h"

#include <algorithm>

#include "base/quote.h"
#include "recipe/place.h"

namespace dragoman::recipe {
namespace {

// File systems allow 255 bytes; names are followed by endings such as .perplexity.json.
constexpr std::size_t kLongestName = 100;

std::vector<std::string> texts(const YAML::Node& node) {
  std::vector<std::string> list;
  for (const YAML::Node& element : node) {
    if (!element.IsScalar()) return {};
    list.push_back(element.Scalar());
  }
  return list;
}

}  // namespace

void check_name(const std::string& name, const std::string& where) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_+").find(static_cast<char>(c)) != std::string_view::npos;
  });
  check(!name.empty() && name.size() <= kLongestName && plain,
        "{}: '{}' cannot be a name; expected at most {} letters, digits, '-', '_' and '+'", where, excerpt(name),
        kLongestName);
}

YamlMap::YamlMap(const YAML::Node& node, std::string where) : node_(node), where_(std::move(where)) {
  if (!node_.Mark().is_null()) where_ += fmt::format(" (line {})", node_.Mark().line + 1);
  check(node_.IsMap() || node_.IsNull(), "{}: expected a map of settings", where_);
}

YAML::Node YamlMap::node(const char* key) {
  known_.emplace_back(key);
  return node_.IsMap() ? YAML::Node(node_[key]) : YAML::Node(YAML::NodeType::Undefined);
}

void YamlMap::wrong(const char* key, const char* expected) const { fail("{}: '{}' must be {}", where_, key, expected); }

void YamlMap::operator()(const char* key, std::string& value) {
  const YAML::Node node = this->node(key);
  if (!node.IsDefined()) return;
  if (!node.IsScalar()) wrong(key, "a text");
  value = node.Scalar();
}

void YamlMap::operator()(const char* key, bool& value) {
  const YAML::Node node = this->node(key);
  if (!node.IsDefined()) return;
  if (!node.IsScalar()) wrong(key, "true or false");
  value = with_place(where_ + ": '" + key + "'", [&] { return text_value::parse_bool(node.Scalar()); });
}

void YamlMap::operator()(const char* key, std::int64_t& value) {
  const YAML::Node node = this->node(key);
  if (!node.IsDefined()) return;
  if (!node.IsScalar()) wrong(key, "a number");
  value = with_place(where_ + ": '" + key + "'", [&] { return text_value::parse_integer(node.Scalar()); });
}

void YamlMap::operator()(const char* key, int& value) {
  std::int64_t wide = value;
  (*this)(key, wide);
  if (!std::in_range<int>(wide)) wrong(key, "a smaller number");
  value = static_cast<int>(wide);
}

void YamlMap::operator()(const char* key, std::vector<std::string>& value) {
  const YAML::Node node = this->node(key);
  if (!node.IsDefined()) return;
  if (node.IsScalar()) {
    value = {node.Scalar()};
    return;
  }
  if (!node.IsSequence()) wrong(key, "a list of texts");
  value = texts(node);
  if (value.size() != node.size()) wrong(key, "a list of texts");
}

void YamlMap::operator()(const char* key, std::map<std::string, double>& value) {
  const YAML::Node node = this->node(key);
  if (!node.IsDefined()) return;
  if (!node.IsMap()) wrong(key, "a map of numbers");
  for (const auto& entry : node) {
    if (!entry.second.IsScalar()) wrong(key, "a map of numbers");
    value[entry.first.Scalar()] =
        with_place(where_ + ": '" + key + "'", [&] { return text_value::parse_number(entry.second.Scalar()); });
  }
}

void YamlMap::operator()(const char* key, std::vector<std::pair<std::string, std::string>>& value) {
  for (const auto& [name, node] : entries(key)) {
    if (!node.IsScalar()) wrong(key, "a map from names to texts");
    value.emplace_back(name, node.Scalar());
  }
}

void YamlMap::operator()(const char* key, Cost& value) {
  std::string text;
  (*this)(key, text);
  if (has(key)) value = with_place(where_ + ": '" + key + "'", [&] { return parse_cost(text); });
}

std::vector<std::pair<std::string, YAML::Node>> YamlMap::entries(const char* key) {
  const YAML::Node node = this->node(key);
  std::vector<std::pair<std::string, YAML::Node>> list;
  if (!node.IsDefined()) return list;
  if (!node.IsMap()) wrong(key, "a map");
  for (const auto& entry : node) list.emplace_back(entry.first.Scalar(), entry.second);
  return list;
}

std::vector<YAML::Node> YamlMap::elements(const char* key) {
  const YAML::Node node = this->node(key);
  if (!node.IsDefined()) return {};
  if (!node.IsSequence()) wrong(key, "a list");
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
