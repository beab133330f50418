#include "report/json_file.h"

#include <filesystem>
#include <fstream>

#include "base/file.h"

namespace dragoman::report {

std::optional<double> number(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::optional<double> number(const Json& object, const std::string& key) {
  if (!object.is_object()) return std::nullopt;
  const auto at = object.find(key);
  return at == object.end() ? std::nullopt : number(*at);
}

std::string text(const Json& object, const std::string& key) {
  if (!object.is_object()) return "";
  const auto at = object.find(key);
  return at == object.end() || !at->is_string() ? "" : at->get<std::string>();
}

const Json& object_at(const Json& object, const std::string& key) {
  static const Json none = Json::object();
  if (!object.is_object()) return none;
  const auto at = object.find(key);
  return at == object.end() || !at->is_object() ? none : *at;
}

const Json& list_at(const Json& object, const std::string& key) {
  static const Json none = Json::array();
  if (!object.is_object()) return none;
  const auto at = object.find(key);
  return at == object.end() || !at->is_array() ? none : *at;
}

void fail_damaged(const std::string& path, const std::string& what) {
  fail("{}: not {}; remove it to measure again", path, what);
}

std::optional<Json> parse_file(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return parse_json<Json>(read_file(path), path);
}

std::vector<Json> read_log(const std::string& path) {
  std::vector<Json> lines;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);)
    if (Json line = parse_json_or_null<Json>(text); line.is_object()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace dragoman::report
