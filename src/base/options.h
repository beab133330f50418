#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/text_value.h"

// Settings, each described once. A struct of plain members with defaults and one function `visit` provides YAML keys,
// command-line flags, --help, --dump-config, range checks and error messages that suggest the nearest known key:
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
// names. v.section("Data") puts the settings that follow under a heading of --help and of the reference pages.
// v.only_if("momentum", [this] { return kind == Kind::sgd; }, "only sgd uses it") says when settings described before
// have an effect; check_effects() refuses flags that have none.
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

// The bounds of a number; by default any number is allowed.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool without_low = false;  // `low` itself is excluded
};
constexpr Range at_least(double low) { return {.low = low}; }
constexpr Range between(double low, double high) { return {.low = low, .high = high}; }
constexpr Range more_than(double low) { return {.low = low, .without_low = true}; }

// When a setting has an effect.
struct Condition {
  std::function<bool()> holds;
  std::string otherwise;  // why it has none
};

// One setting, with its type erased: text in, text out.
struct Setting {
  std::string key;
  std::string section;  // the heading in --help; may be empty
  std::string help;
  std::string type;                                // "integer", "number", "text", "true or false", "list" or "a|b|c"
  std::function<std::string()> get;                // as YAML scalar or flow sequence
  std::function<std::string()> text;               // as set() takes it; empty where get() gives the same
  std::function<void(const std::string&)> set;     // throws Error if the text is not a valid value
  std::function<void(const std::string&)> append;  // lists only: adds one element
  std::vector<Condition> conditions;
  bool is_flag = false;
  bool is_list = false;
};

// The contents of a --help page apart from the settings.
struct HelpPage {
  std::string usage;  // the line after "dragoman", e.g. "stats SOURCE TARGET"
  std::string summary;
  std::string examples = "";  // lines; empty for none
  int width = 100;            // columns
};

// The remaining results of a parsed command line: positional arguments and requests for help or the configuration.
struct Parsed {
  std::vector<std::string> positional;
  std::vector<std::string> given;  // the settings that the command line sets, by key
  std::vector<std::string> blank;  // those of them that it sets to the empty text that they were before
  bool help = false;
  bool dump = false;
  bool allows_unused = false;  // flags without an effect are accepted
};

// The settings of one struct. Keeps references to its members, so the struct must outlive this object.
class Settings {
 public:
  Settings() = default;
  template <class Options>
  explicit Settings(Options& options) {
    options.visit(*this);
  }

  // Called by `visit` of the struct.
  template <class T>
  void operator()(std::string_view key, T& member, std::string_view help, Range range = {}) {
    if constexpr (NamedEnum<T>) {
      std::vector<std::string> names;
      for (const auto& entry : EnumNames<T>::list) names.push_back(entry.second);
      add_choice(
          key, help, std::move(names), [&member] { return name_of(member); },
          [&member](std::size_t i) { member = EnumNames<T>::list[i].first; });
    } else {
      add(key, help, &member, range);
    }
  }
  template <class Options>
  void group(const std::string& name, Options& options) {
    const std::string outer = std::exchange(prefix_, prefix_ + name + ".");
    options.visit(*this);
    prefix_ = outer;
  }
  void section(std::string_view heading) { section_ = heading; }
  // The settings `keys`, separated by spaces ("rate" or, for a whole group, "schedule."), have an effect only if
  // `holds` returns true; `otherwise` completes the sentence "--rate has no effect: ...". They must have been described
  // before.
  void only_if(std::string_view keys, const std::function<bool()>& holds, std::string_view otherwise);

  // Reads a YAML file or text; `where` names it in errors. Unknown keys are errors.
  void read_yaml_file(const std::string& path);
  void read_yaml(const std::string& text, const std::string& where);
  // Reads only the map under the key `part` and ignores the rest.
  void read_yaml_part(const std::string& text, const std::string& where, const std::string& part);
  void set(const std::string& key, const std::string& value);

  // All settings with their values and help, as YAML that can be read back.
  std::string dump() const;

  // Flags override --config files; later files override earlier ones.
  Parsed parse(const std::vector<std::string>& arguments);
  std::string help(const HelpPage& page) const;
  // Throws Error if a flag of the command line has no effect, unless the command line allows it. Settings that come
  // from files may have none, because a file can hold all settings of a run.
  void check_effects(const Parsed& parsed) const;

  const std::vector<Setting>& all() const& { return settings_; }
  const std::vector<Setting>& all() && = delete;  // a loop over the result would outlive the settings

 private:
  // The member types of settings, besides named enumerations.
  using Member = std::variant<bool*, std::int32_t*, std::int64_t*, std::uint32_t*, std::uint64_t*, double*,
                              std::string*, std::vector<std::string>*>;
  void add(std::string_view key, std::string_view help, Member member, Range range);
  void add_choice(std::string_view key, std::string_view help, std::vector<std::string> names,
                  std::function<const char*()> get, std::function<void(std::size_t)> set);
  const Setting& find(const std::string& key, const std::string& where) const;
  void give(const Setting& setting, const std::vector<std::string>& values, Parsed& parsed);

  std::vector<Setting> settings_;
  std::string prefix_, section_;
};

}  // namespace dragoman
