#pragma once

#include <string>
#include <vector>

#include "recipe/command_line.h"
#include "recipe/recipe.h"

// What running a recipe consists of: jobs, which are lists of commands. Making a plan finds unknown placeholders, names
// and quoting mistakes before anything runs.
namespace dragoman::recipe {

// Paths in the output folder:
//
//   systems/NAME/run/                 the training run: log.jsonl, model.safetensors
//   systems/NAME/tests/TEST.txt       translations
//   systems/NAME/tests/TEST.json      `evaluate --json` of them
//   systems/NAME/tests/TEST.perplexity.json   `score --summary --json` of the references
//   systems/NAME/steps/N.log          what step N printed; N.json: its command and time, and whether it is finished
//   figures/NAME/, comparisons/TEST.BASELINE/   files that their commands read and write, and the records of their
//   steps work/                             what `prepare` makes; data/: the generated data of a miniature
//   report/index.html, report/results.md
//   recipe.txt                        the recipe that the folder belongs to
struct Folder {
  std::string path;

  std::string system(const std::string& name) const { return path + "/systems/" + name; }
  std::string log(const std::string& name) const { return system(name) + "/run/log.jsonl"; }
  std::string output(const std::string& name, const std::string& test, const char* ending = ".txt") const {
    return system(name) + "/tests/" + test + ending;
  }
  std::string work() const { return path + "/work"; }
  std::string owner() const { return path + "/recipe.txt"; }
  std::string page() const { return path + "/report/index.html"; }
  std::string markdown() const { return path + "/report/results.md"; }
};

// Settings of this run that the recipe leaves open.
struct PlanOptions {
  std::string data;               // the folder of the data
  std::string device, precision;  // empty: the commands' defaults
  int threads = 0;                // 0: the commands' default
  bool miniature = false;
};

// Some lines of a file, copied to another file before a step runs.
struct Excerpt {
  std::string source, target;
  int first = 1, lines = 0;
};

// One command of a job.
struct Step {
  std::string title;     // "train", "translate newstest2014"
  std::string recorded;  // the command with placeholders for folders, without flags about this machine: a finished step
                         // is run again only if this changes
  CommandLine command;
  std::string run;  // of `train`: the folder it trains in
  Excerpt excerpt;  // without lines: nothing to copy
};

// One number or curve of a figure: the step that is timed, and the file that holds its result.
struct Measurement {
  std::string title, value;  // `value` of a sweep; otherwise empty
  std::size_t step = 0;
  std::string result;
};

// Commands that run one after the other and leave their records in a folder of their own.
struct Job {
  std::string name;                // of the system or figure
  std::string folder;              // for records of steps
  std::vector<std::string> needs;  // systems that must be finished before
  std::vector<Step> steps;
  std::string model;                      // systems: the model file
  std::vector<Measurement> measurements;  // figures
};

struct Plan {
  Job preparation;
  std::vector<Job> systems;
  std::vector<Job> figures;  // only those that need commands
};

// Plans the systems and figures that the patterns `chosen` name, by default all, and the systems that these systems
// need. Patterns that name systems only leave the figures in.
Plan make_plan(const Recipe& recipe, const Folder& folder, const PlanOptions& options,
               const std::vector<std::string>& chosen = {});

// Compares the systems of tables that have a baseline with it, on each test set, as far as they are finished.
std::vector<Job> plan_comparisons(const Recipe& recipe, const Folder& folder, const PlanOptions& options,
                                  const std::vector<std::string>& finished);

}  // namespace dragoman::recipe
