#pragma once

#include "recipe/results.h"

namespace dragoman::recipe {

// Writes report/index.html, one self-contained page, and report/results.md, the same tables as Markdown, from the
// results that are in the folder. Systems without a result are shown as not run yet.
void write_report(const Recipe& recipe, const Folder& folder);

}  // namespace dragoman::recipe
