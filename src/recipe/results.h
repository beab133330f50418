#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "recipe/recipe.h"

// The results of a recipe, as files in its output folder:
//
//   systems/NAME/result.json          SystemResult, written when all steps of the system are finished
//   systems/NAME/run/                 the training run: log.jsonl, model.safetensors
//   systems/NAME/tests/TEST.txt       translations
//   systems/NAME/tests/TEST.json      `evaluate --json` of them
//   systems/NAME/tests/TEST.attention.jsonl   `translate --json` of the first sentences
//   systems/NAME/steps/N.log          what step N printed; N.json: its command, and whether it is finished
//   tests/TEST.source, tests/TEST.reference   plain-text copies of a test set, which the report shows
//   comparisons/TEST.json             `evaluate --json --systems`: all systems against the baseline
//   comparisons/TEST.BASELINE.json    the same for tables with another baseline than the first
//   systems/NAME/tests/TEST.perplexity.json   `score --summary --json` of the references
//   figures/NAME.json                 FigureResult
//   figures/NAME/                     files that its commands read and write
//   report/index.html, report/results.md
//   recipe.txt                        the name of the recipe that the folder belongs to
namespace dragoman::recipe {

// Paths in the output folder.
struct Folder {
  std::string path;

  std::string system(const std::string& name) const { return path + "/systems/" + name; }
  std::string result(const std::string& system_name) const { return system(system_name) + "/result.json"; }
  std::string log(const std::string& system_name) const { return system(system_name) + "/run/log.jsonl"; }
  std::string output(const std::string& system_name, const std::string& test) const {
    return system(system_name) + "/tests/" + test + ".txt";
  }
  std::string evaluation(const std::string& system_name, const std::string& test) const {
    return system(system_name) + "/tests/" + test + ".json";
  }
  std::string attention(const std::string& system_name, const std::string& test) const {
    return system(system_name) + "/tests/" + test + ".attention.jsonl";
  }
  std::string source(const std::string& test) const { return path + "/tests/" + test + ".source"; }
  std::string reference(const std::string& test) const { return path + "/tests/" + test + ".reference"; }
  std::string comparison(const std::string& test) const { return path + "/comparisons/" + test + ".json"; }
  std::string comparison(const std::string& test, const std::string& baseline) const {
    return comparison(test + "." + baseline);
  }
  std::string figure(const std::string& name) const { return path + "/figures/" + name + ".json"; }
  std::string owner() const { return path + "/recipe.txt"; }
  std::string work() const { return path + "/work"; }
  std::string page() const { return path + "/report/index.html"; }
  std::string markdown() const { return path + "/report/results.md"; }
};

// What recipe.txt says: a recipe, in full or as a miniature.
std::string owner_name(const Recipe& recipe, bool is_miniature);

// Where and with what something was measured.
struct Environment {
  std::string version, date, cpu;
  std::string gpu;  // empty: it was not used
  std::string system;
  int cores = 0;
};
// Of this machine, without a GPU.
Environment this_environment();

struct StepResult {
  std::string command;  // as a user would type it
  double seconds = 0;   // of a training run that was interrupted: of all its sessions
};

struct SystemResult {
  std::string name;
  std::vector<StepResult> steps;
  std::map<std::string, double> values;           // as in Column::value; only finite ones
  std::map<std::string, std::string> signatures;  // value -> signature of its metric
  Environment environment;

  // Of all steps.
  double seconds() const;
};

// The results of rows are JSON: of a sweep `evaluate --json` with the number or text "value" added, one row per title
// and value, in seconds of the translation; of an alignment `evaluate --aer --json`; of a tree a line of
// `translate --tree`; of scaling and statistics what `bench` and `stats` print.
struct FigureResult {
  std::string name;
  struct Measured {
    std::string title, command;
    double seconds = 0;
    // By kind of figure: the JSON of `bench`, `stats` or `evaluate --aer`, or a line of `translate --tree`. A sweep has
    // an entry for every row and value: the JSON of `evaluate` with "value" added.
    nlohmann::ordered_json result;
  };
  std::vector<Measured> rows;
  Environment environment;
};

// Writes a file that appears as a whole, and the folders it is in.
void write_text(const std::string& path, const std::string& text);

nlohmann::ordered_json to_json(const SystemResult& result);
nlohmann::ordered_json to_json(const FigureResult& result);

// Nothing if the file does not exist. Throws if it is damaged.
std::optional<SystemResult> read_system_result(const std::string& path);
std::optional<FigureResult> read_figure_result(const std::string& path);

}  // namespace dragoman::recipe
