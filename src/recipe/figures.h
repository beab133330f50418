#pragma once

#include "recipe/results.h"

namespace dragoman::recipe {

// The drawings of a figure as HTML; empty for a kind without drawings and for figures without results. Throws the JSON
// library's exception if the result is not of the figure's kind.
std::string draw_figure(const Results& results, const Figure& figure);

}  // namespace dragoman::recipe
