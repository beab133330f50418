#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

// Settings, each described once. A struct of plain members with defaults and one function `visit` gives YAML keys,
// command-line flags, --help, --dump-config, range checks and errors that name the nearest known key:
//
//   struct StatsOptions {
//     int min_count = 1;
//     bool json = false;
//     template <class V>
//     void visit(V& v) {
//       v("min-count", min_count, "words seen less often become unknown", at_least(1));
//       v("json", json, "print JSON");
//     }
//   };
//
// A member that is itself such a struct is visited with v.group("encoder", encoder) and its keys become
// `encoder.layers`, which YAML may also write as a nested map. An enumeration is a setting once `EnumNames` lists its
// names.
namespace dragoman {

// Specialise with `static constexpr std::pair<E, const char*> list[]` to make an enumeration a setting.
template <class E>
struct EnumNames;

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires {
  EnumNames<E>::list;
};

template <NamedEnum E>
const char* name_of(E value) {
  for (const auto& [entry, name] : EnumNames<E>::list)
    if (entry == value) return name;
  return "?";
}

// A condition on a value and the words that describe it: "at least 1".
struct Range {
  std::string words;
  std::function<bool(double)> holds;
};
Range at_least(double low);
Range between(double low, double high);
Range more_than(double low);

// One setting, with its type erased: text in, text out.
struct Setting {
  std::string key;
  std::string help;
  std::string type;                                // "integer", "number", "text", "true or false", "list" or "a|b|c"
  std::function<std::string()> get;                // as YAML scalar or flow sequence
  std::function<void(const std::string&)> set;     // throws Error when the text does not fit
  std::function<void(const std::string&)> append;  // lists only: adds one element
  bool is_flag = false;
  bool is_list = false;
};

// What a parsed command line left over, and what it asked for.
struct Parsed {
  std::vector<std::string> positional;
  bool help = false;
  bool dump = false;
};

// The settings of one struct. Keeps references into it, so the struct must outlive this.
class Settings {
 public:
  Settings() = default;
  template <class Options>
  explicit Settings(Options& options) {
    options.visit(*this);
  }

  // Called by `visit` of the struct.
  template <class T>
  void operator()(const std::string& key, T& member, const std::string& help, Range range = {});
  template <class Options>
  void group(const std::string& name, Options& options) {
    const std::string outer = std::exchange(prefix_, prefix_ + name + ".");
    options.visit(*this);
    prefix_ = outer;
  }

  // Reads a YAML file or text; `where` names it in errors. Unknown keys are errors.
  void read_yaml_file(const std::string& path);
  void read_yaml(const std::string& text, const std::string& where);
  // Reads only the map under the key `part`; the rest belongs to others.
  void read_yaml_part(const std::string& text, const std::string& where, const std::string& part);
  void set(const std::string& key, const std::string& value);

  // All settings with their values and help, as YAML that can be read back.
  std::string dump() const;

  // Flags override what --config files said; later files override earlier ones.
  Parsed parse(const std::vector<std::string>& arguments);
  // `usage` is the line after "dragoman", e.g. "stats SOURCE TARGET".
  std::string help(const std::string& usage, const std::string& summary) const;

  const std::vector<Setting>& all() const { return settings_; }

 private:
  const Setting& find(const std::string& key, const std::string& where) const;
  void add(Setting setting, Range range);

  std::vector<Setting> settings_;
  std::string prefix_;
};

// The entry of `known` with the smallest edit distance to `word`, or empty when none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// How one value is read from and written as text.
namespace text_value {
std::int64_t parse_integer(const std::string& text);
double parse_number(const std::string& text);
bool parse_bool(const std::string& text);
std::string quote(const std::string& text);
std::string show(double value);
std::vector<std::string> parse_list(const std::string& text);
std::string show_list(const std::vector<std::string>& values);
}  // namespace text_value

template <class T>
void Settings::operator()(const std::string& key, T& member, const std::string& help, Range range) {
  Setting setting;
  setting.key = prefix_ + key;
  setting.help = help;
  T* const value = &member;
  if constexpr (std::same_as<T, bool>) {
    setting.type = "true or false";
    setting.is_flag = true;
    setting.get = [value] { return *value ? "true" : "false"; };
    setting.set = [value](const std::string& text) { *value = text_value::parse_bool(text); };
  } else if constexpr (std::integral<T>) {
    setting.type = "integer";
    setting.get = [value] { return std::to_string(*value); };
    setting.set = [value](const std::string& text) {
      const std::int64_t parsed = text_value::parse_integer(text);
      check(std::in_range<T>(parsed), "{} does not fit this setting", text);
      *value = static_cast<T>(parsed);
    };
  } else if constexpr (std::floating_point<T>) {
    setting.type = "number";
    setting.get = [value] { return text_value::show(static_cast<double>(*value)); };
    setting.set = [value](const std::string& text) { *value = static_cast<T>(text_value::parse_number(text)); };
  } else if constexpr (std::same_as<T, std::string>) {
    setting.type = "text";
    setting.get = [value] { return text_value::quote(*value); };
    setting.set = [value](const std::string& text) { *value = text; };
  } else if constexpr (std::same_as<T, std::vector<std::string>>) {
    setting.type = "list";
    setting.is_list = true;
    setting.get = [value] { return text_value::show_list(*value); };
    setting.set = [value](const std::string& text) { *value = text_value::parse_list(text); };
    setting.append = [value](const std::string& text) { value->push_back(text); };
  } else {
    static_assert(NamedEnum<T>, "a setting is a bool, a number, a string, a list of strings or a named enumeration");
    for (const auto& [entry, name] : EnumNames<T>::list)
      setting.type += (setting.type.empty() ? "" : "|") + std::string(name);
    setting.get = [value] { return std::string(name_of(*value)); };
    setting.set = [value, choices = setting.type](const std::string& text) {
      std::vector<std::string> names;
      for (const auto& [entry, name] : EnumNames<T>::list) {
        if (text == name) {
          *value = entry;
          return;
        }
        names.push_back(name);
      }
      const std::string near = nearest(text, names);
      fail("expected one of {} but got '{}'{}", choices, text, near.empty() ? "" : "; did you mean " + near + "?");
    };
  }
  add(std::move(setting), std::move(range));
}

}  // namespace dragoman
