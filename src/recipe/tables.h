#pragma once

#include "recipe/results.h"
#include "report/table.h"

// The tables of the report.
namespace dragoman::recipe {

// A table of the recipe: each value beside the published one.
report::Table result_table(const Results& results, const Table& table);

// What every finished system took: parameters, updates, time of training and translation, machine.
report::Table cost_table(const Results& results);

// The rows of a figure as a table; one without rows for a figure that has not been measured or is drawn from other
// results. Throws the JSON library's exception if the result is not of the figure's kind.
report::Table figure_table(const Results& results, const Figure& figure);

// "BLEU", "chrF", "perplexity": how people write the name of a metric; - and _ in it are the same.
std::string metric_name(const std::string& metric);

// Seconds against length, as `dragoman bench` prints them: a name and points for each series.
using ScalingSeries = std::vector<std::pair<std::string, std::vector<std::pair<double, double>>>>;
ScalingSeries scaling_series(const FigureResult& measured);

}  // namespace dragoman::recipe
