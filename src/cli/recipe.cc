#include "recipe/recipe.h"

#include <algorithm>
#include <set>

#include "base/join.h"
#include "base/log.h"
#include "cli/command.h"
#include "recipe/runner.h"

namespace dragoman::cli {
namespace {

struct RecipeOptions {
  std::string output;
  int jobs = 1;
  std::vector<std::string> only;
  bool dry_run = false, miniature = false;
  recipe::DataOptions data;

  template <class V>
  void visit(V& v) {
    v.section("Run");
    v("output", output, "folder of the results; empty means runs/NAME, or runs/NAME-miniature");
    v("only", only,
      "run only these systems and figures, separated by commas, and the systems that the systems need; patterns such "
      "as en-de-* name several");
    v("jobs", jobs, "systems to train at the same time", between(1, 64));
    v("dry-run", dry_run, "print the commands without running or writing anything");
    v("miniature", miniature, "try the recipe on a small generated corpus, which takes seconds and needs no data");
    v.section("Data");
    data.visit(v);
  }
};

constexpr const char* kExpected = "expected run and the name or folder of a recipe, or list";

recipe::RunOptions run_options(const RecipeOptions& options, const recipe::Recipe& recipe, const recipe::Folder& folder,
                               const ComputeOptions& compute) {
  const ComputeOptions defaults;
  recipe::RunOptions run{.plan = {}, .data = options.data, .jobs = options.jobs, .only = split_list(options.only)};
  check(options.only.empty() || !run.only.empty(), "--only: expected names of systems or figures");
  if (options.miniature && run.only.empty()) run.only = recipe.miniature.systems;
  run.plan.data = options.miniature ? folder.path + "/data" : options.data.directory;
  if (compute.device != defaults.device) run.plan.device = compute.device;
  if (compute.precision != defaults.precision) run.plan.precision = name_of(compute.precision);
  run.plan.threads = compute.threads;
  run.plan.miniature = options.miniature;
  return run;
}

// Throws if flags are given to a command that does not exist.
void check_flags(const recipe::Recipe& recipe) {
  std::vector<const recipe::Flags*> all = {&recipe.flags, &recipe.miniature.flags};
  for (const recipe::Group& group : recipe.groups) all.push_back(&group.flags);
  for (const recipe::Flags* flags : all)
    for (const auto& [command, text] : *flags) find_command(command);
}

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
  check(!listed.empty(), "there are no recipes in {}; a recipe is a folder with a recipe.yaml",
        folders.empty() ? "./recipes or beside the program" : join(folders, ", "));
  return status;
}

int run_action(RecipeOptions& options, const Words& words, const ComputeOptions& compute) {
  check(!words.empty(), "{}", kExpected);
  if (words[0] == "list") return list(words);
  check(words[0] == "run", "there is no action '{}'; {}", words[0], kExpected);
  expect_words(words, 2, kExpected);
  const recipe::Recipe recipe = recipe::read_recipe(recipe::find_recipe(words[1]));
  check_flags(recipe);
  const std::string own = "runs/" + recipe.name + (options.miniature ? "-miniature" : "");
  const recipe::Folder folder{options.output.empty() ? own : options.output};
  const recipe::RunOptions run = run_options(options, recipe, folder, compute);
  if (!options.dry_run) return recipe::run_recipe(recipe, folder, run);
  recipe::print_plan(recipe, folder, run);
  return 0;
}

int run_recipe(const Command& self, const Words& arguments) {
  return run_with<RecipeOptions>(self, arguments, run_action);
}

}  // namespace

extern const Command recipe_command{"recipe",
                                    "run|list RECIPE",
                                    "runs an experiment: trains and compares systems, and writes a report",
                                    run_recipe,
                                    describe_options<RecipeOptions, ComputeOptions>,
                                    "# what there is\n"
                                    "dragoman recipe list\n"
                                    "# on a small generated corpus, in seconds\n"
                                    "dragoman recipe run attention --miniature\n"
                                    "# the commands that would run\n"
                                    "dragoman recipe run attention --data corpora --device cuda --dry-run\n"
                                    "# half an hour of it; the same command goes on later\n"
                                    "timeout 30m dragoman recipe run attention --data corpora --device cuda"};

}  // namespace dragoman::cli
