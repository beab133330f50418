#include "recipe/recipe.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/join.h"
#include "base/log.h"
#include "base/text_value.h"
#include "cli/command.h"
#include "recipe/check_commands.h"
#include "recipe/comparison_plan.h"
#include "recipe/data_files.h"
#include "recipe/find_recipe.h"
#include "recipe/miniature.h"
#include "recipe/overview.h"
#include "recipe/page.h"
#include "recipe/place.h"
#include "recipe/runner.h"

namespace dragoman::cli {
namespace {

struct RecipeOptions {
  std::string output, budget;
  int jobs = 1;
  std::vector<std::string> only;
  bool dry_run = false, miniature = false;
  recipe::DataOptions data;

  template <class V>
  void visit(V& v) {
    v.section("Run");
    v("output", output, "folder of the results; empty means runs/NAME, or runs/NAME-miniature");
    v("only", only, "run only these systems and figures, separated by commas, and the systems that the systems need");
    v("jobs", jobs, "systems to train at the same time", between(1, 64));
    v("budget", budget, "stop in good order after this time, such as 90s, 30min or 2h; the same command goes on later");
    v("dry-run", dry_run, "print the commands and how long they will take, without running or writing anything");
    v("miniature", miniature, "try the recipe on a small generated corpus, which takes seconds and needs no data");
    v.section("Data");
    data.visit(v);
  }
};

double parse_budget(const std::string& text) {
  if (text.empty()) return 0;
  try {
    return recipe::parse_duration(text);
  } catch (const Error& error) {
    fail("--budget: {}", error.what());
  }
}

recipe::Folder output_folder(const RecipeOptions& options, const recipe::Recipe& recipe) {
  if (!options.output.empty()) return {options.output};
  return {"runs/" + recipe.name + (options.miniature ? "-miniature" : "")};
}

recipe::RunOptions run_options(const RecipeOptions& options, const recipe::Recipe& recipe, const recipe::Folder& folder,
                               const ComputeOptions& compute) {
  const ComputeOptions defaults;
  recipe::RunOptions run;
  const std::string own_data = folder.path + "/data";
  run.data = options.data;
  run.plan.data = options.miniature || std::filesystem::exists(own_data) ? own_data : options.data.directory;
  if (compute.device != defaults.device) run.plan.device = compute.device;
  if (compute.precision != defaults.precision) run.plan.precision = name_of(compute.precision);
  run.plan.threads = compute.threads;
  run.plan.miniature = options.miniature;
  run.jobs = options.jobs;
  run.budget = parse_budget(options.budget);
  run.only = split_list(options.only);
  check(options.only.empty() || !run.only.empty(), "--only: expected names of systems or figures");
  if (options.miniature && run.only.empty()) run.only = recipe.miniature.systems;
  return run;
}

// Throws if flags are given to a command that does not exist.
void check_flags(const recipe::Recipe& recipe) {
  const auto check_commands = [&](const std::string& place, const recipe::Flags& flags) {
    for (const auto& [command, text] : flags)
      recipe::with_place(recipe.folder + "/recipe.yaml: " + place + "flags",
                         [&, name = command] { find_command(name); });
  };
  check_commands("", recipe.flags);
  for (const recipe::Group& group : recipe.groups) check_commands("groups: " + group.name + ": ", group.flags);
  check_commands("miniature: ", recipe.miniature.flags);
}

constexpr const char* kExpected = "expected run, list, status or report, and the name or folder of a recipe";

// Returns the exit status: 1 if a recipe cannot be read. The others are listed all the same.
int list(const Words& words) {
  check(words.size() <= 2, "recipe list takes at most one folder of recipes, but got {}", words.size() - 1);
  const Words folders = words.size() > 1 ? Words{words[1]} : recipe::recipe_folders();
  std::set<std::string> listed;
  int status = 0;
  for (const std::string& folder : folders)
    for (const std::string& name : recipe::recipes_in(folder)) {
      if (!listed.insert(name).second) continue;
      try {
        fmt::print("{:<15} {}\n", name, recipe::read_recipe(fmt::format("{}/{}", folder, name)).title);
      } catch (const Error& error) {
        fmt::print("{:<15} cannot be read\n", name);
        log::error("{}", error.what());
        status = 1;
      }
    }
  check(!listed.empty(), "there are no recipes {}; a recipe is a folder with a recipe.yaml{}",
        folders.empty() ? "beside the program or in ./recipes" : "in " + join(folders, ", "),
        words.size() > 1 ? "" : ", and `dragoman recipe list FOLDER` lists those of a folder");
  return status;
}

// Fails with what was probably meant: another action, or a recipe without one.
[[noreturn]] void refuse_action(const std::string& action) {
  const std::string near = nearest(action, {"run", "list", "status", "report"});
  if (!near.empty()) fail("there is no action '{}'; did you mean `dragoman recipe {}`?", action, near);
  const Words known = recipe::known_recipes();
  const bool is_recipe =
      std::find(known.begin(), known.end(), action) != known.end() || std::filesystem::exists(action + "/recipe.yaml");
  const std::string recipe = is_recipe ? action : nearest(action, known);
  if (!recipe.empty()) fail("there is no action '{}'; did you mean `dragoman recipe run {}`?", action, recipe);
  fail("there is no action '{}'; {}", action, kExpected);
}

void print_missing_data(const recipe::Recipe& recipe, const RecipeOptions& options, const recipe::Folder& folder) {
  for (const recipe::DataStatus& file : recipe::look_up_data(recipe.data, options.data, folder.path, false))
    if (file.state != recipe::DataState::present)
      fmt::print("# data {} {}\n", file.name,
                 file.state == recipe::DataState::damaged        ? "has another checksum than declared: " + file.path
                 : file.state == recipe::DataState::downloadable ? "will be downloaded from " + file.url
                                                                 : "is missing and cannot be downloaded");
}

// Files of the data folder that commands read but the recipe does not declare.
void print_missing_files(const recipe::Recipe& recipe, const recipe::Plan& plan, const std::string& data) {
  std::set<std::string> known;
  for (const recipe::DataFolder& folder : recipe.data)
    for (const recipe::DataFile& file : folder.files)
      known.insert(fmt::format("{}/{}/{}", data, folder.name, file.name));
  const auto print_missing = [&](const recipe::Job& job) {
    for (const recipe::Step& step : job.steps)
      for (const std::string& word : step.command.words) {
        const std::string path = word.starts_with("--") ? word.substr(word.find('=') + 1) : word;
        if (path.starts_with(data + "/") && !std::filesystem::exists(path) && known.insert(path).second)
          fmt::print("# file {} is missing; {} reads it\n", path, job.name);
      }
  };
  print_missing(plan.preparation);
  for (const recipe::Job& job : plan.systems) print_missing(job);
  for (const recipe::Job& job : plan.figures) print_missing(job);
}

int run_action(RecipeOptions& options, const Words& words, const ComputeOptions& compute) {
  check(!words.empty(), "{}", kExpected);
  const std::string& action = words[0];
  if (action == "list") return list(words);
  if (action != "run" && action != "status" && action != "report") refuse_action(action);
  check(words.size() != 1, "recipe {} needs the name or folder of a recipe; `dragoman recipe list` shows what there is",
        action);
  expect_words(words, 2, kExpected);
  const recipe::Recipe recipe = recipe::read_recipe(recipe::find_recipe(words[1]));
  check_flags(recipe);
  const recipe::Folder folder = output_folder(options, recipe);
  const recipe::RunOptions run = run_options(options, recipe, folder, compute);
  if (action == "run" && !options.dry_run) return recipe::run_recipe(recipe, folder, run);
  const recipe::Plan plan = recipe::make_plan(recipe, folder, run.plan, run.only);
  if (action == "run") {
    recipe::check_output(recipe, folder, options.data.directory);
    if (options.miniature) {
      recipe::check_miniature(recipe, plan);
    } else {
      print_missing_data(recipe, options, folder);
      print_missing_files(recipe, plan, run.plan.data);
    }
    recipe::check_commands(plan);
    const recipe::Translated translated = recipe::translated_tests(recipe, folder, plan);
    recipe::print_dry_run(recipe, plan, recipe::plan_comparisons(recipe, folder, run.plan, translated));
    return 0;
  }
  if (action == "status") {
    recipe::print_status(recipe, folder, plan);
    return 0;
  }
  check(std::filesystem::exists(folder.path), "there are no results in {}; `dragoman recipe run {}` makes them",
        folder.path, words[1]);
  recipe::write_report(recipe, folder, run.plan.data);
  fmt::print("{}\n", folder.page());
  return 0;
}

int run_recipe(const Command& self, const Words& arguments) {
  return run_with<RecipeOptions>(self, arguments, run_action);
}

}  // namespace

extern const Command recipe_command{"recipe",
                                    "run|status|report|list RECIPE",
                                    "runs an experiment: trains and compares systems, and writes a report",
                                    run_recipe,
                                    describe_options<RecipeOptions, ComputeOptions>,
                                    "# what there is\n"
                                    "dragoman recipe list\n"
                                    "# what would run, and how long it would take\n"
                                    "dragoman recipe run attention --data corpora --device cuda --dry-run\n"
                                    "# half an hour of it; the same command goes on later\n"
                                    "dragoman recipe run attention --data corpora --device cuda --budget 30min\n"
                                    "# on a small generated corpus, in seconds\n"
                                    "dragoman recipe run attention --miniature"};

}  // namespace dragoman::cli
