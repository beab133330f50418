#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/bounded_json.h"

namespace dragoman::exchange {

// The settings of another program's model, a JSON object. A key that is missing or null has the given default; one with
// a value of another type is an error that names the file and the key.
class JsonConfig {
 public:
  // Reads a file; throws Error if it is not a JSON object.
  explicit JsonConfig(const std::string& path);

  const std::string& path() const { return path_; }
  bool has(const std::string& key) const;
  // Within 0 .. 2^31 - 1; without a default, a missing key is an error.
  int integer(const std::string& key) const;
  int integer(const std::string& key, int usual) const;
  double number(const std::string& key, double usual) const;
  bool flag(const std::string& key, bool usual) const;
  std::string text(const std::string& key, const std::string& usual) const;
  // An id, or a list of which the first is used.
  int first_id(const std::string& key) const;
  const nlohmann::json& json() const { return json_; }

 private:
  const nlohmann::json* find(const std::string& key) const;

  std::string path_;
  nlohmann::json json_;
  JsonReleaser<nlohmann::json> releaser_{json_};
};

// The pieces of a vocabulary, a JSON object from pieces to ids, by id. Ids without a piece are empty. Throws Error if
// two pieces share an id or if ids are not below 10 million.
std::vector<std::string> read_vocabulary(const std::string& path);

}  // namespace dragoman::exchange
