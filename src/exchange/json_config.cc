#include "exchange/json_config.h"

#include <limits>

#include "base/file.h"
#include "base/quote.h"

namespace dragoman::exchange {
namespace {

// Four times as many as the largest vocabularies in use.
constexpr std::uint64_t kMostPieces = 1'000'000;

nlohmann::json read_object(const std::string& path) {
  nlohmann::json json = parse_json(read_file(path), path);
  check(json.is_object(), "{}: expected a JSON object", path);
  return json;
}

}  // namespace

JsonConfig::JsonConfig(const std::string& path) : path_(path), json_(read_object(path)) {}

const nlohmann::json* JsonConfig::find(const std::string& key) const {
  const auto found = json_.find(key);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

bool JsonConfig::has(const std::string& key) const { return find(key) != nullptr; }

int JsonConfig::integer(const std::string& key) const {
  const nlohmann::json* const value = find(key);
  check(value != nullptr, "{}: '{}' is missing", path_, key);
  check(value->is_number_unsigned() &&
            value->get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<int>::max()),
        "{}: '{}' must be an integer that is not negative but is {}", path_, key, excerpt(value->dump()));
  return value->get<int>();
}

int JsonConfig::integer(const std::string& key, int usual) const { return has(key) ? integer(key) : usual; }

double JsonConfig::number(const std::string& key, double usual) const {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) return usual;
  check(value->is_number(), "{}: '{}' must be a number but is {}", path_, key, excerpt(value->dump()));
  return value->get<double>();
}

bool JsonConfig::flag(const std::string& key, bool usual) const {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) return usual;
  check(value->is_boolean(), "{}: '{}' must be true or false but is {}", path_, key, excerpt(value->dump()));
  return value->get<bool>();
}

std::string JsonConfig::text(const std::string& key, const std::string& usual) const {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) return usual;
  check(value->is_string(), "{}: '{}' must be a text but is {}", path_, key, excerpt(value->dump()));
  return value->get<std::string>();
}

int JsonConfig::first_id(const std::string& key) const {
  const nlohmann::json* const value = find(key);
  if (value == nullptr || !value->is_array()) return integer(key);
  check(!value->empty() && value->front().is_number_unsigned() && value->front().get<std::uint64_t>() < kMostPieces,
        "{}: '{}' must be an id but is {}", path_, key, excerpt(value->dump()));
  return value->front().get<int>();
}

std::vector<std::string> read_vocabulary(const std::string& path) {
  std::vector<std::string> pieces;
  nlohmann::json vocabulary = read_object(path);
  const JsonReleaser releaser(vocabulary);
  for (const auto& [piece, id] : vocabulary.items()) {
    check(id.is_number_unsigned() && id.get<std::uint64_t>() < kMostPieces,
          "{}: the id of '{}' must be an integer below {} but is {}", path, excerpt(piece), kMostPieces,
          excerpt(id.dump()));
    const auto at = id.get<std::size_t>();
    if (pieces.size() <= at) pieces.resize(at + 1);
    check(pieces[at].empty() && !piece.empty(), "{}: two pieces have the id {}, or one is empty", path, at);
    pieces[at] = piece;
  }
  check(!pieces.empty(), "{}: the vocabulary is empty", path);
  return pieces;
}

}  // namespace dragoman::exchange
