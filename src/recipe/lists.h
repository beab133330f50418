#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "recipe/recipe.h"
#include "recipe/yaml_map.h"

namespace dragoman::recipe {

// The named lists of a recipe, and the texts of the recipe with these lists written out:
//
//   lists:
//     corpora: {europarl: europarl/train1, tatoeba: tatoeba/train}     # with names, or [europarl/train1,
//     tatoeba/train] pairs: {each: corpora, text: "--source {data}/{item}.en.gz --target {data}/{item}.de.gz"}
//   flags:
//     train: --until 9e {pairs}
//
// In a text, {NAME} stands for all entries of the list, separated by blanks; in a list, an entry {NAME} stands for them
// one by one. `each` writes a text once for every entry of a list, which is named or given in place: {item} is the
// entry, {name} its name, which without names is the entry itself. A list may only use lists that come before it, so
// none can refer to itself.
class Lists {
 public:
  // Reads `lists`, if there are any.
  explicit Lists(YamlMap& recipe);

  // The entries at `key`: a text, or a list of texts, `each`, and lists of words that form one text. `languages` are
  // {from} and {to}. Without the key, `otherwise`.
  std::vector<std::string> texts(YamlMap& map, const char* key, const Languages& languages = {},
                                 const std::vector<std::string>& otherwise = {});
  // The same as one text.
  std::string text(YamlMap& map, const char* key, const Languages& languages = {}, const std::string& otherwise = {});
  // A map from the names of commands to their flags.
  Flags flags(YamlMap& map, const char* key, const Languages& languages = {});

 private:
  struct Entry {
    std::string name, text;
  };
  using Entries = std::vector<Entry>;

  // Entries of a text, of `each`, or of a list of them.
  Entries read(const YAML::Node& node, const Languages& languages, const std::string& where);
  // The same, or a map of names and entries.
  Entries read_list(const YAML::Node& node, const Languages& languages, const std::string& where);
  Entries read_each(const YAML::Node& node, const Languages& languages, const std::string& where);
  // Null if there is no such list. Throws if it comes later.
  const Entries* find(const std::string& name, const std::string& where) const;
  std::string filled(const std::string& text, const Languages& languages, const Entry* item, const std::string& where);
  // Adds to what has been written so far; throws if it is too much.
  const std::string& spend(const std::string& text, const std::string& where);

  std::map<std::string, Entries> lists_;
  std::vector<std::string> later_;  // names of lists that have not been read yet
  std::size_t written_ = 0;         // bytes of all texts so far
};

}  // namespace dragoman::recipe
