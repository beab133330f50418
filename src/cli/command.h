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

// A subcommand of `dragoman`. Each is defined in its own file and listed in commands.cc.
struct Command {
  const char* name;
  const char* usage;    // the words after the name: "SOURCE TARGET"
  const char* summary;  // one line
  int (*run)(const Command& self, const Words& arguments);
  void (*describe)(const UseSettings& use);  // calls `use` with its settings at their defaults
  const char* examples;                      // lines of shell, with comments
};

// Commands by subject, in the order in which help lists them.
struct CommandGroup {
  const char* title;
  std::vector<Command> commands;
};
const std::vector<CommandGroup>& command_groups();
// The command of this name. Throws for an unknown name and suggests the nearest one.
const Command& find_command(const std::string& name);

// Fails with `message` unless there are exactly `count` words.
void expect_words(const Words& words, std::size_t count, std::string_view message);

// The model of a command that takes one. `usage` is an example for the message if there is none.
const std::string& one_model(const std::vector<std::string>& models, std::string_view usage);

// Handles --help and --dump-config by printing to stdout; returns false if neither was given.
bool answered(const Command& self, const Settings& settings, const Parsed& parsed);

// Reads flags into `settings`, which include those of the machine. Returns the positional arguments, or nothing if
// --help or --dump-config was handled.
std::optional<Words> read_flags(const Command& self, Settings& settings, const Words& arguments);

// Reads flags into `options` and the settings of the machine, and calls body(options, positional arguments) or, for
// commands that choose a device, body(options, positional arguments, compute).
template <class Options, class Body>
int run_with(const Command& self, const Words& arguments, Body body) {
  constexpr bool kComputes = std::is_invocable_v<Body, Options&, const Words&, const ComputeOptions&>;
  Options options;
  std::conditional_t<kComputes, ComputeOptions, ThreadOptions> machine;
  Settings settings(options);
  machine.visit(settings);
  const std::optional<Words> words = read_flags(self, settings, arguments);
  if (!words) return 0;
  threads::set_count(machine.threads);
  if constexpr (kComputes) {
    check_device_name(machine.device);
    return body(options, *words, machine);
  } else {
    return body(options, *words);
  }
}

// `Command::describe` for a command with these settings, its own and those of the machine.
template <class Options, class Machine = ThreadOptions>
void describe_options(const UseSettings& use) {
  Options options;
  Machine machine;
  Settings settings(options);
  machine.visit(settings);
  use(settings);
}

}  // namespace dragoman::cli
