#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "recipe/command_line.h"
#include "recipe/recipe.h"
#include "recipe/results.h"

// What running a recipe consists of: jobs, which are lists of commands. Making a plan finds unknown placeholders, names
// and quoting mistakes before anything runs.
namespace dragoman::recipe {

// Commands of a plan. Checking them starts a process each, and the largest of our recipes has 400.
inline constexpr std::size_t kMostCommands = 10'000;

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
  std::string run;                 // of `train`: the folder it trains in
  std::vector<std::string> makes;  // files that must exist afterwards
  Excerpt excerpt;                 // without lines: nothing to copy
  std::string timed;               // the value that its time gives, such as wmt.seconds; empty: none
};

// One number or curve of a figure: the step that is timed, and the file that holds its result.
struct Measurement {
  std::string title, value;  // `value` of a sweep; otherwise empty
  std::size_t step = 0;
  std::string result;
};

// Commands that run one after the other in a folder of their own, by one runner at a time.
struct Job {
  std::string name;    // of the system or figure
  std::string folder;  // for locks and records of steps
  std::string result;  // the file that says that the job is finished; empty: the records of its steps say so
  std::vector<std::string> needs;  // systems that must be finished before
  std::vector<Step> steps;
  std::size_t model_steps = 0;            // systems: the first steps, which make the model
  std::string model;                      // systems: the model file
  std::vector<Measurement> measurements;  // figures
  Cost cost;                              // that the recipe states; none for a miniature

  bool trains() const {
    return std::any_of(steps.begin(), steps.end(), [](const Step& step) { return !step.run.empty(); });
  }
};

// Throws if this many commands are too many.
void check_command_count(std::size_t count);

struct Plan {
  Job preparation;
  std::vector<Job> systems;
  std::vector<Job> figures;  // only those that need commands
};

// Plans the systems that `chosen` names, by default all, and what they need; and the figures that it names, by default
// all.
Plan make_plan(const Recipe& recipe, const Folder& folder, const PlanOptions& options,
               const std::vector<std::string>& chosen = {});

// The named systems and those that they need, in the order of the recipe.
std::vector<const System*> systems_with_needs(const Recipe& recipe, std::vector<std::string> names);

}  // namespace dragoman::recipe
