#pragma once

#include <yaml-cpp/yaml.h>

#include <map>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/quote.h"
#include "recipe/cost.h"

namespace dragoman::recipe {

// Names of systems, test sets, figures, groups and lists become names of files and of placeholders and, before a dot,
// parts of values such as wmt.bleu. Throws, with `where`, for a name that cannot.
void check_name(const std::string& name, const std::string& where);

// Reads the keys of a YAML map into members. Keys that nothing asked for are errors, and so are values of another
// shape; errors name file and line.
//
//   YamlMap map(node, where);
//   map("title", title);
//   map.each("tests", [&](const std::string& name, YamlMap& test) { ... });
//   map.finish();
class YamlMap {
 public:
  YamlMap(const YAML::Node& node, std::string where);

  void operator()(const char* key, std::string& value);
  void operator()(const char* key, bool& value);
  void operator()(const char* key, int& value);
  void operator()(const char* key, std::int64_t& value);
  // A list, or a single value.
  void operator()(const char* key, std::vector<std::string>& value);
  void operator()(const char* key, std::map<std::string, double>& value);
  // A map from text to text, in the order of the file.
  void operator()(const char* key, std::vector<std::pair<std::string, std::string>>& value);
  void operator()(const char* key, Cost& value);
  template <NamedEnum E>
  void operator()(const char* key, E& value) {
    std::string text = name_of(value), all;
    (*this)(key, text);
    for (const auto& [entry, name] : EnumNames<E>::list) {
      if (text == name) {
        value = entry;
        return;
      }
      all += (all.empty() ? "" : "|") + std::string(name);
    }
    fail("{}: expected one of {} for '{}' but got '{}'", where_, all, key, excerpt(text));
  }

  // Calls read(map) with the map at `key`, if there is one.
  template <class Read>
  void part(const char* key, Read read) {
    const YAML::Node found = node(key);
    if (!found.IsDefined()) return;
    YamlMap map(found, where_ + ": " + key);
    read(map);
    map.finish();
  }
  // Calls read(key, map) for each entry of the map of maps at `key`. An entry may be a plain text if `shorthand` names
  // the key that it stands for.
  template <class Read>
  void each(const char* key, Read read, const char* shorthand = nullptr) {
    for (const auto& [name, node] : entries(key)) {
      YamlMap map(shorthand != nullptr ? expanded(node, shorthand) : node, where_ + ": " + key + ": " + name);
      read(name, map);
      map.finish();
    }
  }
  // Calls read(map) for each element of the list of maps at `key`.
  template <class Read>
  void each_of(const char* key, Read read, const char* shorthand = nullptr) {
    for (const auto& node : elements(key)) {
      YamlMap map(shorthand != nullptr ? expanded(node, shorthand) : node, where_ + ": " + key);
      read(map);
      map.finish();
    }
  }

  // The value of a key, of any shape; undefined if there is none.
  YAML::Node node(const char* key);
  // The entries of the map at `key`, in the order of the file.
  std::vector<std::pair<std::string, YAML::Node>> entries(const char* key);

  bool has(const char* key) const { return node_.IsMap() && node_[key].IsDefined(); }
  // Throws if the map has a key that was not read.
  void finish() const;
  // File and line, for errors.
  const std::string& where() const { return where_; }

 private:
  std::vector<YAML::Node> elements(const char* key);
  static YAML::Node expanded(const YAML::Node& node, const char* key);
  [[noreturn]] void wrong(const char* key, const char* expected) const;

  YAML::Node node_;
  std::string where_;
  std::vector<std::string> known_;
};

}  // namespace dragoman::recipe
