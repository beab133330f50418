#pragma once

#include <string>

#include "cli/command.h"

namespace dragoman::cli {

// What `dragoman help` prints: every command, by subject.
std::string overview();
// What `dragoman COMMAND --help` prints, as wide as the terminal.
std::string help_page(const Command& command, const Settings& settings);

}  // namespace dragoman::cli
