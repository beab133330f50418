#pragma once

#include <string>

#include "recipe/command_line.h"

namespace dragoman::recipe {

// Throws for a command that no recipe, which may come from a stranger, should run: one that writes outside of the
// folder `output` or into the folder `data`, reads flags from a file, runs another recipe, or never ends.
void check_safe(const CommandLine& command, const std::string& output, const std::string& data);

// Throws unless `path` is relative and does not lead upwards.
void check_below(const std::string& path, const std::string& where);

}  // namespace dragoman::recipe
