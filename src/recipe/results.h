#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipe/plan.h"
#include "report/json_file.h"

// What the steps of a recipe have measured, read from the files that they wrote.
namespace dragoman::recipe {

struct Value {
  double number = 0;
  std::optional<double> half_width{};  // of the 95 % confidence interval
  std::string signature{};             // of a metric
};

struct SystemResult {
  std::vector<std::string> commands;
  double seconds = 0;                   // of all commands
  std::map<std::string, Value> values;  // as in Column::value; only finite ones
  std::string seed;                     // of the training run; may be empty
  std::string vocabulary;               // the target vocabulary: "8000 (bpe)" or "8000 (joint.vocab)"; empty: not known
  std::string hardware;                 // what it was trained on; empty: not known
  std::string measured;                 // day, version and machine
};

// The results of rows are JSON: of a sweep `evaluate --json` with the number or text "value" added, in seconds of the
// translation; of an alignment `evaluate --aer --json`; of a tree a line of `translate --tree`; of attention a list of
// lines of `translate --json`; of scaling and statistics what `bench` and `stats` print.
struct FigureResult {
  struct Row {
    std::string title;
    double seconds = 0;
    report::Json result;
  };
  std::vector<Row> rows;
  std::string measured;
};

// The values of a training run by the names of columns, such as train.updates; none without a log.
std::map<std::string, double> training_values(const std::string& log);

// Of finished jobs. Throw if a file is missing or damaged.
SystemResult measure_system(const Recipe& recipe, const Folder& folder, const Job& job);
FigureResult measure_figure(const Figure& figure, const Job& job);

// Everything that the output folder of a recipe says, read once. A damaged result is logged and left out.
struct Results {
  const Recipe& recipe;
  const Folder& folder;
  PlanOptions options;
  std::vector<std::string> systems;                 // those of the miniature, or all
  std::map<std::string, SystemResult> finished;     // by system
  std::map<std::string, FigureResult> figures;      // by figure
  std::map<std::string, report::Json> comparisons;  // by TEST.BASELINE: the scores by system

  Results(const Recipe& of, const Folder& in, const PlanOptions& with);

  // Those of `names` that are among `systems`.
  std::vector<const System*> shown(const std::vector<std::string>& names) const;
  // Null for a system that is not finished or has no such value.
  const Value* value(const std::string& system, const std::string& column) const;
  // The p-value of the paired bootstrap test against the baseline.
  std::optional<double> p(const std::string& system, const std::string& column, const std::string& baseline) const;
};

// "wmt.bleu" as {"wmt", "bleu"}.
std::pair<std::string, std::string> split_column(const std::string& column);
// Whether a column or the value of a curve is a mean per token, which depends on how text is cut into tokens.
bool is_per_token(const std::string& column);
// Metrics of `evaluate --metrics` are spelled with underscores in its JSON: nltk-bleu is nltk_bleu there.
std::string json_name(std::string metric);

}  // namespace dragoman::recipe
