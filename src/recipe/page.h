#pragma once

#include "recipe/results.h"

namespace dragoman::recipe {

// Writes report/index.html, one self-contained page, and report/results.md, the same tables as Markdown, from the
// results that are in the folder. Systems without a result are shown as not run yet. Test sets are copied to the folder
// from `data`, the folder of the recipe's data, so that the report can be written again without it.
void write_report(const Recipe& recipe, const Folder& folder, const std::string& data = {});

}  // namespace dragoman::recipe
