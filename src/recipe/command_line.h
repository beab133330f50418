#pragma once

#include <map>
#include <string>
#include <vector>

namespace dragoman::recipe {

// A command of the program.
struct CommandLine {
  std::vector<std::string> words;  // the first one names the command; `dragoman` itself is left out
  std::string output;              // file for its standard output; empty: none
};

// Splits text into words as a POSIX shell does: blanks separate words, quotes and backslashes protect blanks. The text
// may end in `> FILE`. Pipes, variables and the other operators of a shell are errors.
CommandLine split_command(const std::string& text);

// The command as a user would type it into a shell, `dragoman` first.
std::string show(const CommandLine& command);

bool has_flag(const CommandLine& command, const std::string& flag);
// The values of a flag, such as --source, in the order of the command.
std::vector<std::string> flag_values(const CommandLine& command, const std::string& flag);

// How a command has changed, in words: "--until 30u instead of --until 20u". Both are texts of show(); order does not
// count. Empty if they have the same flags and arguments.
std::string changes(const std::string& before, const std::string& after);

// Values of placeholders by name, without braces.
using Places = std::map<std::string, std::string>;

// Replaces the placeholders {NAME} of a text, once: values are not searched again. Throws for a name that is not among
// `places` and lists those that are.
std::string fill(const std::string& text, const Places& places);
CommandLine fill(CommandLine command, const Places& places);

// The names of the placeholders in a text.
std::vector<std::string> placeholders(const std::string& text);

}  // namespace dragoman::recipe
