#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <utility>
#include <vector>

#include "base/options.h"
#include "base/quote.h"

namespace dragoman::recipe {

// The result of function(); the place in the recipe is put before the message of an error.
template <class Function>
auto with_place(const std::string& where, Function function) {
  try {
    return function();
  } catch (const Error& error) {
    fail("{}: {}", where, error.what());
  }
}

// Reads the keys of a YAML map. Values of another shape are errors, and so, when finish() is called, are keys that
// nothing asked for; errors name file and line.
class YamlMap {
 public:
  YamlMap(const YAML::Node& node, std::string where);

  bool has(const char* key) const { return node_.IsMap() && node_[key].IsDefined(); }
  std::string text(const char* key, const std::string& otherwise = {});
  // A list of texts, or a single one; empty without the key.
  std::vector<std::string> texts(const char* key);
  bool flag(const char* key);
  int integer(const char* key, int otherwise, int low, int high);
  template <NamedEnum E>
  E choice(const char* key, E otherwise) {
    const std::string found = text(key, name_of(otherwise));
    std::string all;
    for (const auto& [value, name] : EnumNames<E>::list) {
      if (found == name) return value;
      all += (all.empty() ? "" : "|") + std::string(name);
    }
    fail("{}: expected one of {} for '{}' but got '{}'", where_, all, key, excerpt(found));
  }
  // The entries of the map at `key`, in the order of the file: names and values of any shape.
  std::vector<std::pair<std::string, YAML::Node>> entries(const char* key);
  // Calls read(name, map) for each entry of the map of maps at `key`. An entry may be a plain text if `shorthand` names
  // the key that it stands for.
  template <class Read>
  void each(const char* key, Read read, const char* shorthand = nullptr) {
    for (const auto& [name, node] : entries(key)) {
      YamlMap map(shorthand != nullptr ? expanded(node, shorthand) : node, where_ + ": " + key + ": " + name);
      read(name, map);
      map.finish();
    }
  }
  // The map at `key`; an empty one without the key.
  YamlMap part(const char* key);
  // The elements of the list at `key`.
  std::vector<YAML::Node> elements(const char* key);

  void finish() const;
  // File and line, for errors.
  const std::string& where() const { return where_; }

 private:
  YAML::Node find(const char* key);
  static YAML::Node expanded(const YAML::Node& node, const char* key);
  void check_shape(bool holds, const char* key, const char* expected) const;

  YAML::Node node_;
  std::string where_;
  std::vector<std::string> known_;
};

}  // namespace dragoman::recipe
