#pragma once

#include <string>

#include "recipe/page_results.h"

namespace dragoman::recipe {

// The charts of a figure as HTML; empty for kinds without a chart and for figures without results.
std::string figure_charts(const PageResults& results, const Figure& figure);

// Bar charts of the first BLEU columns of a table, with the published values. Columns that have a figure of their own
// are left out.
std::string table_charts(const PageResults& results, const Table& table);

}  // namespace dragoman::recipe
