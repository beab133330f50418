#pragma once

#include <string>

#include "recipe/page_results.h"

namespace dragoman::recipe {

// The tables of the report as Markdown, with where they were measured and by which commands.
std::string markdown(const PageResults& results);

// The command that runs the recipe.
std::string recipe_command(const PageResults& results);

// The commands of a system, one per line, with runs/NAME as the output folder.
std::string commands_of(const PageResults& results, const SystemResult& result);

}  // namespace dragoman::recipe
