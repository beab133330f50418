#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/options.h"
#include "base/threads.h"
#include "tensor/placement.h"

namespace dragoman::cli {

using Words = std::vector<std::string>;
using UseSettings = std::function<void(const Settings&)>;

// One word after `dragoman`. Each command lives in its own file and is listed in commands.cc.
struct Command {
  const char* name;
  const char* usage;    // the words after the name: "SOURCE TARGET"
  const char* summary;  // one line
  int (*run)(const Command& self, const Words& arguments);
  void (*describe)(const UseSettings& use);  // hands its settings, at their defaults, to `use`
  const char* examples;                      // lines of shell, with comments
};

// Commands by subject, in the order in which help lists them.
struct CommandGroup {
  const char* title;
  std::vector<Command> commands;
};
const std::vector<CommandGroup>& command_groups();
// The command of this name; an unknown name is an error that names the nearest.
const Command& find_command(const std::string& name);

// Fails with `message` unless there are exactly `count` words.
void expect_words(const Words& words, std::size_t count, std::string_view message);

// Answers --help and --dump-config on stdout; false where neither was asked for.
bool answered(const Command& self, const Settings& settings, const Parsed& parsed);

// Reads flags into `settings` and those that every command has into `compute`. Returns the words that are no flags, or
// nothing if --help or --dump-config was asked for and answered.
std::optional<Words> read_flags(const Command& self, Settings settings, const Words& arguments,
                                ComputeOptions& compute);

// Reads flags into `options` and calls body(options, words that are no flags), or, for commands that choose a device,
// body(options, words, compute).
template <class Options, class Body>
int run_with(const Command& self, const Words& arguments, Body body) {
  Options options;
  ComputeOptions compute;
  const std::optional<Words> words = read_flags(self, Settings(options), arguments, compute);
  if (!words) return 0;
  if constexpr (std::is_invocable_v<Body, Options&, const Words&, const ComputeOptions&>)
    return body(options, *words, compute);
  else
    return body(options, *words);
}

// `Command::describe` of a command whose settings are `Options` and those that every command has.
template <class Options>
void describe_options(const UseSettings& use) {
  Options options;
  ComputeOptions compute;
  Settings settings(options);
  compute.visit(settings);
  use(settings);
}

}  // namespace dragoman::cli
