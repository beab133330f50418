#pragma once

#include "recipe/plan.h"

namespace dragoman::recipe {

inline constexpr const char* kMiniatureWarning =
    "This is a miniature: a few updates on generated text, to try the recipe. Its numbers mean nothing.";

// Writes report/index.html, one self-contained page, and report/results.md, the same tables as Markdown, from the
// results that are in the folder. Systems without a result are shown as not run yet; those that are not part of a
// miniature are left out of its report.
void write_report(const Recipe& recipe, const Folder& folder, const PlanOptions& options);

}  // namespace dragoman::recipe
