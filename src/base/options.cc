#include "base/options.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <fstream>
#include <map>

#include "base/quote.h"
#include "base/yaml.h"

namespace dragoman {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Converts a scalar or sequence node to the text form that a setting parses.
std::string node_text(const YAML::Node& node) {
  if (node.IsNull()) return "";
  if (node.IsScalar()) return node.Scalar();
  return text_value::show_list(plain_values(node));
}

Setting named(std::string key, const std::string& section, std::string_view help) {
  Setting setting;
  setting.key = std::move(key);
  setting.section = section;
  setting.help = help;
  return setting;
}

// The overloads of describe() define how each type of member is parsed and printed.
void describe(Setting& setting, bool* value) {
  setting.type = "true or false";
  setting.is_flag = true;
  setting.get = [value] { return *value ? "true" : "false"; };
  setting.set = [value](const std::string& text) { *value = text_value::parse_bool(text); };
}
template <std::integral T>
void describe(Setting& setting, T* value) {
  setting.type = "integer";
  setting.get = [value] { return std::to_string(*value); };
  setting.set = [value](const std::string& text) {
    const std::int64_t parsed = text_value::parse_integer(text);
    const auto most = std::min<std::uint64_t>(std::numeric_limits<T>::max(), std::numeric_limits<std::int64_t>::max());
    check(std::in_range<T>(parsed), "expected an integer from {} to {} but got {}", std::numeric_limits<T>::min(), most,
          excerpt(text));
    *value = static_cast<T>(parsed);
  };
}
void describe(Setting& setting, double* value) {
  setting.type = "number";
  setting.get = [value] { return text_value::show(*value); };
  setting.set = [value](const std::string& text) { *value = text_value::parse_number(text); };
}
void describe(Setting& setting, std::string* value) {
  setting.type = "text";
  setting.get = [value] { return text_value::quote(*value); };
  setting.text = [value] { return *value; };
  setting.set = [value](const std::string& text) { *value = text; };
}
void describe(Setting& setting, std::vector<std::string>* value) {
  setting.type = "list";
  setting.is_list = true;
  setting.get = [value] { return text_value::show_list(*value); };
  setting.set = [value](const std::string& text) { *value = text_value::parse_list(text); };
  setting.append = [value](const std::string& text) { value->push_back(text); };
}

std::string words_of(const Range& range) {
  const bool has_low = range.low > -kInfinity, has_high = range.high < kInfinity;
  if (has_low && has_high) return fmt::format("from {} to {}", range.low, range.high);
  if (has_low) return fmt::format("{} {}", range.without_low ? "more than" : "at least", range.low);
  return "";
}
bool holds(const Range& range, double value) {
  return std::isfinite(value) && (range.without_low ? value > range.low : value >= range.low) && value <= range.high;
}

}  // namespace

void Settings::add(std::string_view key, std::string_view help, Member member, Range range) {
  Setting setting = named(prefix_ + std::string(key), section_, help);
  std::visit([&](auto* value) { describe(setting, value); }, member);
  const std::string bounds = words_of(range);
  if (!bounds.empty()) {
    setting.type += ", " + bounds;
    setting.set = [set = setting.set, get = setting.get, range, bounds](const std::string& text) {
      const std::string before = get();
      set(text);
      if (!holds(range, text_value::parse_number(get()))) {
        set(before);
        fail("expected a value {} but got {}", bounds, excerpt(text));
      }
    };
  }
  settings_.push_back(std::move(setting));
}

void Settings::add_choice(std::string_view key, std::string_view help, std::vector<std::string> names,
                          std::function<const char*()> get, std::function<void(std::size_t)> set) {
  Setting setting = named(prefix_ + std::string(key), section_, help);
  for (const std::string& name : names) setting.type += (setting.type.empty() ? "" : "|") + name;
  setting.get = std::move(get);
  setting.set = [names = std::move(names), choices = setting.type, set = std::move(set)](const std::string& text) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (text == names[i]) return set(i);
    const std::string near = nearest(text, names);
    fail("expected one of {} but got '{}'{}", choices, excerpt(text),
         near.empty() ? "" : "; did you mean " + near + "?");
  };
  settings_.push_back(std::move(setting));
}

void Settings::only_if(std::string_view keys, const std::function<bool()>& holds, std::string_view otherwise) {
  for (std::size_t begin = 0; begin < keys.size();) {
    const std::size_t end = std::min(keys.find(' ', begin), keys.size());
    const std::string key = prefix_ + std::string(keys.substr(begin, end - begin));
    bool found = false;
    for (Setting& setting : settings_) {
      if (key.ends_with('.') ? !setting.key.starts_with(key) : setting.key != key) continue;
      setting.conditions.push_back({holds, std::string(otherwise)});
      found = true;
    }
    check(found, "only_if: there is no setting '{}'", key);
    begin = end + 1;
  }
}

const Setting& Settings::find(const std::string& key, const std::string& where) const {
  std::vector<std::string> known;
  for (const Setting& setting : settings_) {
    if (setting.key == key) return setting;
    known.push_back(setting.key);
  }
  const std::string near = nearest(key, known);
  fail("{}: unknown setting '{}'{}", where, excerpt(key),
       near.empty() ? "; --help lists all" : "; did you mean '" + near + "'?");
}

void Settings::set(const std::string& key, const std::string& value) {
  const Setting& setting = find(key, "--" + key);
  try {
    setting.set(value);
  } catch (const Error& error) {
    fail("--{}: {}", key, error.what());
  }
}

void Settings::check_effects(const Parsed& parsed) const {
  if (parsed.allows_unused) return;
  for (const std::string& key : parsed.given)
    for (const Condition& condition : find(key, "--" + key).conditions)
      check(condition.holds(), "--{} has no effect: {}", key, condition.otherwise);
  if (!parsed.blank.empty())
    fail("--{} has no effect: its value is the empty text; leave it out, or give it a value", parsed.blank.front());
}

void Settings::read_yaml_file(const std::string& path) {
  std::ifstream file(path);
  check(file.good(), "{}: cannot be opened as a configuration file", path);
  std::string text(kLongestYaml + 1, '\0');
  file.read(text.data(), std::ssize(text));
  check(!file.bad(), "{}: cannot be read as a configuration file", path);
  text.resize(static_cast<std::size_t>(file.gcount()));
  read_yaml(text, path);
}

void Settings::read_yaml(const std::string& text, const std::string& where) { read_yaml_part(text, where, ""); }

void Settings::read_yaml_part(const std::string& text, const std::string& where, const std::string& part) {
  const YAML::Node root = load_yaml(text, where);
  if (root.IsNull()) return;
  check(root.IsMap(), "{}: expected 'key: value' lines", where);
  std::map<const Setting*, int> lines;  // of the settings so far; "a.b: 1" and "a: {b: 1}" are the same one
  const std::function<void(const YAML::Node&, const std::string&)> read = [&](const YAML::Node& map,
                                                                              const std::string& prefix) {
    for (const auto& entry : map) {
      const std::string key = prefix + entry.first.Scalar();
      if (prefix.empty() && !part.empty() && key != part) continue;
      const std::string at = yaml_place(where, entry.first.Mark());
      if (entry.second.IsMap()) {
        read(entry.second, key + ".");
        continue;
      }
      const Setting& setting = find(key, at);
      const auto [known, is_new] = lines.emplace(&setting, entry.first.Mark().line + 1);
      check(is_new, "{}: '{}' is given twice, first in line {}; remove one of them", at, key, known->second);
      try {
        setting.set(node_text(entry.second));
      } catch (const Error& error) {
        fail("{}: {}: {}", at, key, error.what());
      }
    }
  };
  read(root, "");
}

std::string Settings::dump() const {
  std::string text;
  for (const Setting& setting : settings_)
    text += fmt::format("# {} ({})\n{}: {}\n", setting.help, setting.type, setting.key, setting.get());
  return text;
}

}  // namespace dragoman
