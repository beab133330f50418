#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/options.h"
#include "base/quote.h"

namespace dragoman {

// Sets a setting to the value or, if it is a list, the values of its flag.
void Settings::give(const Setting& setting, const std::vector<std::string>& values, Parsed& parsed) {
  if (!setting.is_list) {
    if (setting.text && setting.text().empty() && values.back().empty()) parsed.blank.push_back(setting.key);
    return set(setting.key, values.back());
  }
  setting.set("");
  for (const std::string& value : values) {
    check(!value.empty(), "--{}: expected a value but got the empty text", setting.key);
    setting.append(value);
  }
}

Parsed Settings::parse(const std::vector<std::string>& arguments) {
  Parsed parsed;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.positionals_at_end(false);
  app.add_flag("-h,--help", parsed.help);
  app.add_flag("--dump-config", parsed.dump);
  app.add_flag("--allow-unused", parsed.allows_unused);
  std::vector<std::string> configs;
  app.add_option("--config", configs)->expected(1)->take_all();
  std::vector<std::function<void()>> flags;  // applied after the files
  for (const Setting& setting : settings_) {
    const std::string flag = "--" + setting.key;
    if (setting.is_flag) {
      app.add_flag_function(flag + ",!--no-" + setting.key, [&, this](std::int64_t times) {
        parsed.given.push_back(setting.key);
        flags.push_back([&, this, times] { set(setting.key, times > 0 ? "true" : "false"); });
      });
      continue;
    }
    app.add_option_function<std::vector<std::string>>(
           flag,
           [&, this](const std::vector<std::string>& values) {
             parsed.given.push_back(setting.key);
             flags.push_back([&, this, values] { give(setting, values, parsed); });
           })
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
  }
  // A switch may be followed by its value, like any other setting: "--tied false" means "--tied=false". What follows
  // "--" are no flags.
  std::vector<std::string> words;
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  for (const std::string& word : std::vector(arguments.begin(), end)) {
    const auto is_switch = [&](std::string_view flag) {
      return std::any_of(settings_.begin(), settings_.end(),
                         [&](const Setting& setting) { return setting.is_flag && flag == "--" + setting.key; });
    };
    const auto is_value = [](std::string_view text) { return text == "true" || text == "false"; };
    if (is_value(word) && !words.empty() && is_switch(words.back())) {
      words.back() += "=" + word;
      continue;
    }
    const std::size_t equals = word.find('=');
    check(equals == std::string::npos || is_value(std::string_view(word).substr(equals + 1)) ||
              !is_switch(std::string_view(word).substr(0, equals)),
          "{}: expected true or false but got '{}'", word.substr(0, equals),
          excerpt(word.substr(std::min(word.size(), equals + 1))));
    words.push_back(word);
  }
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(reversed);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();  // FLAG: 1 required TEXT missing
    fail("{}: expected a value after it", what.substr(0, what.find(':')));
  } catch (const CLI::ParseError& error) {
    throw Error(error.what());
  }
  for (const std::string& left : app.remaining()) {
    if (left.size() > 1 && left.starts_with('-')) {
      const std::string key = left.substr(std::min(left.size(), left.find_first_not_of('-')));
      find(key.substr(0, key.find('=')), "command line");
      fail("command line: unknown flag '{}'", left);
    }
    parsed.positional.push_back(left);
  }
  if (end != arguments.end()) parsed.positional.insert(parsed.positional.end(), end + 1, arguments.end());
  for (const std::string& path : configs) read_yaml_file(path);
  for (const auto& apply : flags) apply();
  return parsed;
}

}  // namespace dragoman
