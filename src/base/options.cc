#include "base/options.h"

#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

namespace dragoman {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({substitute, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

std::string place(const std::string& where, const YAML::Mark& mark) {
  return mark.is_null() ? where : fmt::format("{}:{}", where, mark.line + 1);
}

// A scalar or sequence node as the text a setting reads.
std::string node_text(const YAML::Node& node) {
  if (node.IsNull()) return "";
  if (node.IsScalar()) return node.Scalar();
  std::vector<std::string> values;
  for (const YAML::Node& element : node) {
    check(element.IsScalar(), "expected a list of plain values");
    values.push_back(element.Scalar());
  }
  return text_value::show_list(values);
}

}  // namespace

Range at_least(double low) {
  return {fmt::format("at least {}", text_value::show(low)), [low](double v) { return v >= low; }};
}
Range between(double low, double high) {
  return {fmt::format("from {} to {}", text_value::show(low), text_value::show(high)),
          [low, high](double v) { return v >= low && v <= high; }};
}
Range more_than(double low) {
  return {fmt::format("more than {}", text_value::show(low)), [low](double v) { return v > low; }};
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

namespace text_value {

std::int64_t parse_integer(const std::string& text) {
  std::int64_t value = 0;
  const char* const first = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, status] = std::from_chars(first, text.data() + text.size(), value);
  check(status == std::errc() && end == text.data() + text.size() && !text.empty(), "expected an integer but got '{}'",
        text);
  return value;
}

double parse_number(const std::string& text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  check(status == std::errc() && end == text.data() + text.size() && !text.empty(), "expected a number but got '{}'",
        text);
  return value;
}

bool parse_bool(const std::string& text) {
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  fail("expected true or false but got '{}'", text);
}

std::string quote(const std::string& text) {
  YAML::Emitter out;
  out << YAML::DoubleQuoted << text;
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '/';
  }) && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '/' || text[0] == '.');
  static const std::set<std::string> words = {"true", "false", "yes", "no", "on", "off", "null"};
  return plain && !words.contains(text) ? text : out.c_str();
}

std::string show(double value) { return fmt::format("{}", value); }

std::vector<std::string> parse_list(const std::string& text) {
  std::vector<std::string> values;
  if (text.empty()) return values;
  if (text.front() != '[') return {text};
  for (const YAML::Node& element : YAML::Load(text)) values.push_back(element.Scalar());
  return values;
}

std::string show_list(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& value : values) text += (text.size() > 1 ? ", " : "") + quote(value);
  return text + "]";
}

}  // namespace text_value

void Settings::add(Setting setting, Range range) {
  if (range.holds) {
    setting.type += ", " + range.words;
    setting.set = [set = setting.set, get = setting.get, range](const std::string& text) {
      const std::string before = get();
      set(text);
      if (!range.holds(std::stod(get()))) {
        set(before);
        fail("expected a value {} but got {}", range.words, text);
      }
    };
  }
  settings_.push_back(std::move(setting));
}

const Setting& Settings::find(const std::string& key, const std::string& where) const {
  std::vector<std::string> known;
  for (const Setting& setting : settings_) {
    if (setting.key == key) return setting;
    known.push_back(setting.key);
  }
  const std::string near = nearest(key, known);
  fail("{}: unknown setting '{}'{}", where, key, near.empty() ? "" : "; did you mean '" + near + "'?");
}

void Settings::set(const std::string& key, const std::string& value) {
  const Setting& setting = find(key, "--" + key);
  try {
    setting.set(value);
  } catch (const Error& error) {
    fail("--{}: {}", key, error.what());
  }
}

void Settings::read_yaml_file(const std::string& path) {
  std::ifstream file(path);
  check(file.good(), "{}: cannot be opened as a configuration file", path);
  std::stringstream text;
  text << file.rdbuf();
  read_yaml(text.str(), path);
}

void Settings::read_yaml(const std::string& text, const std::string& where) { read_yaml_part(text, where, ""); }

void Settings::read_yaml_part(const std::string& text, const std::string& where, const std::string& part) {
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    fail("{}: not valid YAML: {}", place(where, error.mark), error.msg);
  }
  if (root.IsNull()) return;
  check(root.IsMap(), "{}: expected 'key: value' lines", where);
  const std::function<void(const YAML::Node&, const std::string&)> read = [&](const YAML::Node& map,
                                                                              const std::string& prefix) {
    for (const auto& entry : map) {
      const std::string key = prefix + entry.first.Scalar();
      if (prefix.empty() && !part.empty() && key != part) continue;
      const std::string at = place(where, entry.first.Mark());
      if (entry.second.IsMap()) {
        read(entry.second, key + ".");
        continue;
      }
      const Setting& setting = find(key, at);
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

Parsed Settings::parse(const std::vector<std::string>& arguments) {
  Parsed parsed;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.positionals_at_end(false);
  app.add_flag("-h,--help", parsed.help);
  app.add_flag("--dump-config", parsed.dump);
  std::vector<std::string> configs;
  app.add_option("--config", configs)->expected(1)->take_all();
  std::vector<std::function<void()>> flags;  // applied after the files
  for (const Setting& setting : settings_) {
    const std::string flag = "--" + setting.key;
    if (setting.is_flag) {
      app.add_flag_function(flag + ",!--no-" + setting.key, [&, this](std::int64_t times) {
        flags.push_back([&, this, times] { set(setting.key, times > 0 ? "true" : "false"); });
      });
      continue;
    }
    app.add_option_function<std::vector<std::string>>(flag,
                                                      [&, this](const std::vector<std::string>& values) {
                                                        flags.push_back([&, this, values] {
                                                          if (!setting.is_list) return set(setting.key, values.back());
                                                          setting.set("");
                                                          for (const std::string& v : values) setting.append(v);
                                                        });
                                                      })
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
  }
  // A switch may be followed by its value, as every other setting is: "--tied false" is "--tied=false".
  std::vector<std::string> words;
  for (const std::string& word : arguments) {
    const bool is_value = word == "true" || word == "false";
    const bool after_switch = !words.empty() && std::any_of(settings_.begin(), settings_.end(), [&](const Setting& s) {
      return s.is_flag && words.back() == "--" + s.key;
    });
    if (is_value && after_switch)
      words.back() += "=" + word;
    else
      words.push_back(word);
  }
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    throw Error(error.what());
  }
  for (const std::string& left : app.remaining()) {
    if (left.size() > 1 && left.starts_with('-')) {
      const std::string key = left.substr(left.find_first_not_of('-'));
      find(key.substr(0, key.find('=')), "command line");
      fail("command line: unknown flag '{}'", left);
    }
    parsed.positional.push_back(left);
  }
  for (const std::string& path : configs) read_yaml_file(path);
  for (const auto& apply : flags) apply();
  return parsed;
}

std::string Settings::help(const std::string& usage, const std::string& summary) const {
  std::string text = fmt::format("{}\n\nusage: dragoman {} [--config FILE.yaml] [--key value ...]\n\n", summary, usage);
  for (const Setting& setting : settings_) {
    const std::string flag = "--" + setting.key;
    text +=
        fmt::format("  {:<26} {}\n  {:<26} ({}; default {})\n", flag, setting.help, "", setting.type, setting.get());
  }
  text += fmt::format("  {:<26} read settings from a YAML file; flags override it\n", "--config FILE");
  text += fmt::format("  {:<26} print all settings as YAML and stop\n", "--dump-config");
  return text;
}

}  // namespace dragoman
