#include "recipe/lists.h"

#include <algorithm>
#include <optional>

#include "base/join.h"

namespace dragoman::recipe {
namespace {

// A recipe has at most a megabyte; written out it may become several times as long, but lists of lists of lists must
// not fill the memory. The longest of ours has 60 KB.
constexpr std::size_t kMostWritten = 4 << 20;

// Placeholders that have a meaning of their own.
const std::vector<std::string> kReserved = {"data",      "work",   "system",       "systems", "model",
                                            "input",     "output", "translations", "value",   "figure",
                                            "reference", "from",   "to",           "item",    "name"};

// Calls value(name) for every {NAME} without braces in it, which may return what to write instead of it.
template <class Value>
std::string replaced(const std::string& text, Value value) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '{' ? text.find_first_of("{}", at + 1) : std::string::npos;
    const bool is_placeholder = end != std::string::npos && text[end] == '}';
    const std::optional<std::string> instead =
        is_placeholder ? value(text.substr(at + 1, end - at - 1)) : std::optional<std::string>();
    if (instead) {
      result += *instead;
      at = end + 1;
    } else {
      result += text[at++];
    }
  }
  return result;
}

// The texts of entries, separated by blanks.
template <class Entries>
std::string joined(const Entries& entries) {
  std::vector<std::string> parts;
  for (const auto& entry : entries) parts.push_back(entry.text);
  return join(parts, " ");
}

// The place, with the line of the node.
std::string with_line(const std::string& where, const YAML::Node& node) {
  return fmt::format("{} (line {})", where, node.Mark().line + 1);
}

bool is_each(const YAML::Node& node) { return node.IsMap() && node["each"].IsDefined(); }

}  // namespace

Lists::Lists(YamlMap& recipe) {
  const auto lists = recipe.entries("lists");
  for (const auto& [name, node] : lists) {
    const std::string where = recipe.where() + ": lists: " + name;
    check_name(name, where);
    check(std::find(kReserved.begin(), kReserved.end(), name) == kReserved.end(),
          "{}: the placeholder {{{}}} has a meaning of its own; choose another name", where, name);
    later_.push_back(name);
  }
  for (const auto& [name, node] : lists) {
    Entries entries = read_list(node, {}, recipe.where() + ": lists: " + name);
    later_.erase(later_.begin());
    lists_.emplace(name, std::move(entries));
  }
}

std::vector<std::string> Lists::texts(YamlMap& map, const char* key, const Languages& languages,
                                      const std::vector<std::string>& otherwise) {
  const YAML::Node node = map.node(key);
  if (!node.IsDefined()) return otherwise;
  std::vector<std::string> found;
  for (const Entry& entry : read(node, languages, map.where() + ": " + key)) found.push_back(entry.text);
  return found;
}

std::string Lists::text(YamlMap& map, const char* key, const Languages& languages, const std::string& otherwise) {
  return join(texts(map, key, languages, {otherwise}), " ");
}

Flags Lists::flags(YamlMap& map, const char* key, const Languages& languages) {
  Flags flags;
  for (const auto& [command, node] : map.entries(key))
    flags.emplace_back(command, joined(read(node, languages, map.where() + ": " + key + ": " + command)));
  return flags;
}

Lists::Entries Lists::read(const YAML::Node& node, const Languages& languages, const std::string& where) {
  Entries entries;
  if (node.IsScalar()) {
    const std::string& text = node.Scalar();
    const bool is_list = text.size() > 2 && text.front() == '{' && text.back() == '}';
    if (const Entries* const list = is_list ? find(text.substr(1, text.size() - 2), where) : nullptr)
      for (const Entry& entry : *list) entries.push_back({entry.name, filled(entry.text, languages, nullptr, where)});
    else
      entries.push_back({text, filled(text, languages, nullptr, where)});
  } else if (is_each(node)) {
    entries = read_each(node, languages, where);
  } else {
    check(node.IsSequence(), "{}: expected a text or a list of texts", with_line(where, node));
    for (const YAML::Node& element : node) {
      Entries more = read(element, languages, where);
      if (element.IsSequence()) more = {{"", joined(more)}};  // a list within a list is one text
      entries.insert(entries.end(), more.begin(), more.end());
    }
  }
  return entries;
}

Lists::Entries Lists::read_list(const YAML::Node& node, const Languages& languages, const std::string& where) {
  if (!node.IsMap() || is_each(node)) return read(node, languages, where);
  Entries entries;
  for (const auto& entry : node) {
    check(entry.second.IsScalar(), "{}: expected a text after '{}'", where, excerpt(entry.first.Scalar()));
    entries.push_back({entry.first.Scalar(), filled(entry.second.Scalar(), languages, nullptr, where)});
  }
  return entries;
}

Lists::Entries Lists::read_each(const YAML::Node& node, const Languages& languages, const std::string& where) {
  YamlMap map(node, where);
  const YAML::Node each = map.node("each");
  std::string text;
  map("text", text);
  map.finish();
  check(!text.empty(), "{}: expected 'text', which is written for each entry", where);
  const Entries* const named = each.IsScalar() ? find(each.Scalar(), where) : nullptr;
  check(named != nullptr || !each.IsScalar(), "{}: there is no list '{}'", where, excerpt(each.Scalar()));
  Entries entries;
  for (const Entry& item : named != nullptr ? *named : read_list(each, languages, where))
    entries.push_back({item.name, filled(text, languages, &item, where)});
  return entries;
}

const Lists::Entries* Lists::find(const std::string& name, const std::string& where) const {
  check(std::find(later_.begin(), later_.end(), name) == later_.end(),
        "{}: the list '{}' must come before it; no list can contain itself", where, name);
  const auto found = lists_.find(name);
  return found == lists_.end() ? nullptr : &found->second;
}

std::string Lists::filled(const std::string& text, const Languages& languages, const Entry* item,
                          const std::string& where) {
  const auto with_item = replaced(text, [&](const std::string& name) -> std::optional<std::string> {
    if (item == nullptr || (name != "item" && name != "name")) return std::nullopt;
    return spend(name == "item" ? item->text : item->name, where);
  });
  const auto with_lists = replaced(with_item, [&](const std::string& name) -> std::optional<std::string> {
    const Entries* const list = find(name, where);
    if (list == nullptr) return std::nullopt;
    return spend(joined(*list), where);
  });
  return spend(replaced(with_lists,
                        [&](const std::string& name) -> std::optional<std::string> {
                          if (name == "from" && !languages.from.empty()) return languages.from;
                          if (name == "to" && !languages.to.empty()) return languages.to;
                          return std::nullopt;
                        }),
               where);
}

const std::string& Lists::spend(const std::string& text, const std::string& where) {
  written_ += text.size();
  check(written_ <= kMostWritten, "{}: the lists of this recipe write out to more than {} MB; use shorter ones", where,
        kMostWritten >> 20);
  return text;
}

}  // namespace dragoman::recipe
