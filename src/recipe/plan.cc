#include "recipe/plan.h"

#include <algorithm>
#include <filesystem>

#include "base/join.h"
#include "recipe/composer.h"
#include "recipe/figure_plan.h"
#include "recipe/place.h"

namespace dragoman::recipe {
namespace {

void add_unique(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// All systems whose files a system uses.
std::vector<std::string> needs_of(const System& system) {
  std::vector<std::string> names = system.needs;
  for (const std::string& command : system.steps) add_unique(names, systems_used(command));
  add_unique(names, systems_used(system.translate));
  add_unique(names, systems_used(system.score));
  std::erase(names, system.name);
  return names;
}

// The first word of a command.
std::string program_of(const std::string& command) {
  const CommandLine line = split_command(command);
  check(!line.words.empty(), "expected a command but got '{}'", command);
  return line.words[0];
}

Job plan_preparation(const Recipe& recipe, const Folder& folder, const Composer& composer) {
  Job job;
  job.name = "preparation";
  job.folder = folder.work();
  for (const Preparation& preparation : recipe.prepare)
    with_place(preparation.where, [&] {
      const std::string name = program_of(preparation.command);
      Step step = composer.step(name + " " + join(preparation.makes, " "), preparation.command, {});
      for (const std::string& file : preparation.makes) step.makes.push_back(folder.work() + "/" + file);
      job.steps.push_back(step);
      // Commands that state no cost take no time worth mentioning beside those that do.
      job.cost.seconds += preparation.cost.seconds;
      if (!preparation.cost.machine.empty()) job.cost.machine = preparation.cost.machine;
    });
  return job;
}

// Translates and scores a test set.
class TestPlanner {
 public:
  TestPlanner(const Composer& composer, const System& system, const TestSet& test)
      : composer_(composer), system_(system), test_(test) {}

  void add_to(std::vector<Step>& steps) const {
    const bool has_flags = program_of(system_.translate) == "translate" && !test_.translate.empty();
    steps.push_back(composer_.step("translate " + test_.name, system_.translate, context(".txt"),
                                   has_flags ? split_command(test_.translate).words : std::vector<std::string>()));
    steps.back().timed = test_.name + ".seconds";
    steps.push_back(composer_.step(
        "evaluate " + test_.name,
        "evaluate {translations} {reference} --metrics " + join(test_.metrics, ",") + " --confidence --json",
        context(".json")));
    if (test_.perplexity && !system_.score.empty())
      steps.push_back(composer_.step("score " + test_.name, system_.score, context(".perplexity.json")));
    if (test_.attention > 0 && program_of(system_.translate) == "translate") steps.push_back(attention());
  }

 private:
  Composer::Context context(const std::string& suffix) const {
    const std::string prefix = "{system}/tests/" + test_.name;
    Places places = test_places(test_);
    places["translations"] = prefix + ".txt";
    places["output"] = prefix + suffix;
    return {.system = &system_, .figure = {}, .places = places};
  }

  Step attention() const {
    Composer::Context places = context(".attention.jsonl");
    const std::string excerpt = "{system}/tests/" + test_.name + ".attention.txt";
    places.places["input"] = excerpt;
    Step step = composer_.step("attention " + test_.name, system_.translate, places, {"--json"});
    step.excerpt = {composer_.path(test_.source, places), composer_.path(excerpt, places), 1, test_.attention};
    return step;
  }

  const Composer& composer_;
  const System& system_;
  const TestSet& test_;
};

// A training run has a folder of its own below that of its system, since what is left of an abandoned run is removed.
void check_run(const Job& job, const std::string& run) {
  if (run.empty()) return;
  const std::string below = (std::filesystem::path(job.folder) / "").lexically_normal().string();
  const std::string folder = std::filesystem::path(run).lexically_normal().string();
  check(folder.starts_with(below) && folder != below,
        "a training run writes to {}; expected a folder of the system, such as --output {{system}}/run", run);
  check(std::count_if(job.steps.begin(), job.steps.end(), [&](const Step& step) { return step.run == run; }) == 1,
        "two training runs write to {}; give one of them --output {{system}}/ANOTHER", run);
}

Job plan_system(const Recipe& recipe, const Folder& folder, const Composer& composer, const System& system) {
  Job job;
  job.name = system.name;
  job.folder = folder.system(system.name);
  job.result = folder.result(system.name);
  job.needs = needs_of(system);
  for (const std::string& name : job.needs)
    check(&recipe.system(name) < &system, "it uses files of '{}', which must come before it in the list", name);
  for (const std::string& command : system.steps) {
    job.steps.push_back(composer.step(program_of(command), command, {.system = &system, .figure = {}, .places = {}}));
    check_run(job, job.steps.back().run);
  }
  job.model_steps = job.steps.size();
  job.cost = system.cost;
  job.model = composer.path(system.model, {.system = &system, .figure = {}, .places = {}});
  for (const TestSet* test : recipe.tests_of(system)) TestPlanner(composer, system, *test).add_to(job.steps);
  return job;
}

// What a run was asked for: systems and figures by name.
struct Choice {
  std::vector<std::string> systems, figures;
  bool all_figures = false;  // those whose systems are finished are measured after the systems
};

Choice choose(const Recipe& recipe, const std::vector<std::string>& names) {
  Choice choice;
  const auto has = [](const auto& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&](const auto& entry) { return entry.name == name; });
  };
  for (const std::string& name : names)
    if (!has(recipe.systems, name) && has(recipe.figures, name))
      choice.figures.push_back(name);
    else
      choice.systems.push_back(recipe.system(name).name);
  if (names.empty())
    for (const System& system : recipe.systems) choice.systems.push_back(system.name);
  choice.all_figures = choice.figures.empty();
  return choice;
}

}  // namespace

std::vector<const System*> systems_with_needs(const Recipe& recipe, std::vector<std::string> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const System& system = recipe.system(names[i]);
    const std::vector<std::string> needs = needs_of(system);
    for (const std::string& name : needs) with_place(system.where, [&] { recipe.system(name); });
    add_unique(names, needs);
  }
  std::vector<const System*> systems;
  for (const System& system : recipe.systems)
    if (std::find(names.begin(), names.end(), system.name) != names.end()) systems.push_back(&system);
  return systems;
}

void check_command_count(std::size_t count) {
  check(count <= kMostCommands, "this recipe has more than {} commands; split it into several", kMostCommands);
}

Plan make_plan(const Recipe& recipe, const Folder& folder, const PlanOptions& options,
               const std::vector<std::string>& chosen) {
  const Composer composer(recipe, folder, options);
  Plan plan;
  plan.preparation = plan_preparation(recipe, folder, composer);
  const Choice choice = choose(recipe, chosen);
  std::size_t commands = 0;
  for (const System* system : systems_with_needs(recipe, choice.systems)) {
    plan.systems.push_back(with_place(system->where, [&] { return plan_system(recipe, folder, composer, *system); }));
    check_command_count(commands += plan.systems.back().steps.size());
  }
  for (const Figure& figure : recipe.figures) {
    check_command_count(commands += figure.rows.size() * std::max<std::size_t>(figure.values.size(), 1));
    Job job = with_place(figure.where, [&] { return plan_figure(recipe, folder, composer, figure); });
    const bool is_chosen = choice.all_figures ||
                           std::find(choice.figures.begin(), choice.figures.end(), figure.name) != choice.figures.end();
    if (is_chosen && !job.steps.empty()) plan.figures.push_back(std::move(job));
  }
  if (options.miniature) {
    plan.preparation.cost = {};
    for (Job& job : plan.systems) job.cost = {};
    for (Job& job : plan.figures) job.cost = {};
  }
  return plan;
}

}  // namespace dragoman::recipe
