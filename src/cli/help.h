#pragma once

#include <string>

#include "cli/command.h"

namespace dragoman::cli {

// The output of `dragoman help`: all commands, by subject.
std::string overview();
// The output of `dragoman COMMAND --help`, wrapped to the width of the terminal.
std::string help_page(const Command& command, const Settings& settings);

}  // namespace dragoman::cli
