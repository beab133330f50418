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

// Splits text into words as a shell does: blanks separate words, quotes protect them, and a word with braces is written
// once for each alternative: train{1,2}.de becomes train1.de train2.de. The text may end in `> FILE`. The other signs
// of a shell are errors, since no shell runs the command.
CommandLine split_command(const std::string& text);

// The command as a user would type it into a shell, `dragoman` first.
std::string show(const CommandLine& command);

// The values of a flag, such as --source, in the order of the command.
std::vector<std::string> flag_values(const std::vector<std::string>& words, const std::string& flag);

// Values of placeholders by name, without braces.
using Places = std::map<std::string, std::string>;

// Replaces the placeholders {NAME} of a text, once: values are not searched again. Throws for a name that is not among
// `places` and lists those that are.
std::string fill(const std::string& text, const Places& places);
CommandLine fill(CommandLine command, const Places& places);

// The names of the placeholders in a text.
std::vector<std::string> placeholders(const std::string& text);

}  // namespace dragoman::recipe
