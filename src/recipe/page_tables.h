#pragma once

#include <vector>

#include "recipe/page_results.h"
#include "report/table.h"

namespace dragoman::recipe {

// A table of the recipe: each value beside the published one.
report::Table result_table(const PageResults& results, const Table& table);

// What every system cost: parameters, updates, time of training and translation, machine.
report::Table cost_table(const PageResults& results);

// The rows of a figure as a table; one without rows for a figure that has not been measured or is drawn from other
// results.
report::Table figure_table(const PageResults& results, const Figure& figure);

// A value of a column in words: 14:18:00 for seconds, 44.1M for parameters, otherwise with so many digits.
std::string show_value(const std::string& column, double value, int digits);

// "BLEU", "chrF", "perplexity": how people write the name of a metric; - and _ in it are the same.
std::string metric_name(std::string metric);

}  // namespace dragoman::recipe
