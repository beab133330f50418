#include "recipe/plan.h"

#include <algorithm>
#include <filesystem>

#include "base/join.h"
#include "recipe/yaml_map.h"

namespace dragoman::recipe {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kSystems = "systems/";

bool holds(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

void append_new(Words& words, const Words& more) {
  for (const std::string& word : more)
    if (!holds(words, word)) words.push_back(word);
}

bool is_flag(const std::string& word) { return word.starts_with("--"); }

// How many words a flag takes: itself and, unless it is a switch or has its value after =, its value.
std::ptrdiff_t length_of_flag(Words::const_iterator at, Words::const_iterator end) {
  return at + 1 != end && !is_flag(*(at + 1)) && at->find('=') == std::string::npos ? 2 : 1;
}

// Replaces flags by those of the miniature. A model that is tuned (--from) brings its structure and vocabulary along.
void make_small(Words& words, const Words& small) {
  const bool tunes = holds(words, "--from");
  for (auto at = small.begin(); at != small.end();) {
    const auto end = at + length_of_flag(at, small.end());
    const std::string name = at->substr(0, at->find('='));
    if (!tunes || (!name.starts_with("--model.") && !name.starts_with("--vocab."))) {
      for (auto old = words.begin(); old != words.end();)
        old = *old == name || old->starts_with(name + "=") ? words.erase(old, old + length_of_flag(old, words.end()))
                                                           : old + 1;
      words.insert(words.end(), at, end);
    }
    at = end;
  }
}

// The systems that a command reads through {systems/NAME}.
Words systems_used(const std::string& text) {
  Words names;
  for (const std::string& word : split_command(text).words)
    for (const std::string& name : placeholders(word))
      if (name.starts_with(kSystems)) append_new(names, {name.substr(kSystems.size())});
  return names;
}

// All systems whose files a system uses.
Words needs_of(const System& system) {
  Words names;
  for (const std::string& command : system.steps) append_new(names, systems_used(command));
  append_new(names, systems_used(system.translate));
  append_new(names, systems_used(system.score));
  append_new(names, systems_used(system.model));
  std::erase(names, system.name);
  return names;
}

// {input}, {reference}, {from} and {to} of a test set, as far as it has them.
Places test_places(const TestSet& test) {
  Places places = {{"input", test.source}, {"reference", test.reference}};
  if (!test.from.empty()) places["from"] = test.from;
  if (!test.to.empty()) places["to"] = test.to;
  return places;
}

// Makes jobs from the commands of a recipe: inserts the flags of the recipe, of the group and of this run, and fills in
// placeholders.
class Planner {
 public:
  Planner(const Recipe& recipe, const Folder& folder, const PlanOptions& options)
      : recipe_(recipe), folder_(folder), options_(options) {}

  Job preparation() const {
    Job job;
    job.name = "preparation";
    job.folder = folder_.work();
    for (const std::string& command : recipe_.prepare)
      with_place("prepare: " + command,
                 [&] { job.steps.push_back(step(command.substr(0, command.find(' ')), command, {})); });
    return job;
  }

  Job system(const System& system) const {
    Job job;
    job.name = system.name;
    job.folder = folder_.system(system.name);
    job.needs = needs_of(system);
    for (const std::string& name : job.needs)
      check(&recipe_.system(name) < &system, "it uses files of '{}', which must come before it in the list", name);
    const Context context{.system = &system, .places = {}};
    for (const std::string& command : system.steps) {
      job.steps.push_back(step(command.substr(0, command.find(' ')), command, context));
      check_run(job);
    }
    job.model = path(system.model, context);
    for (const std::string& test : system.tests) add_test(system, recipe_.test(test), job);
    return job;
  }

  // The commands of a figure; none for one that is drawn from the results of the systems. Their files are N.txt and
  // N.json in the folder of the figure.
  Job figure(const Figure& figure) const;

  // Compares systems that have translated the test set with the baseline, which is the first of them.
  Job comparison(const TestSet& test, const Words& systems) const {
    const auto output = [&](const std::string& name) { return "{systems/" + name + "}/tests/" + test.name + ".txt"; };
    Job job;
    job.name = test.name + "." + systems[0];
    job.folder = folder_.path + "/comparisons/" + job.name;
    job.needs = systems;
    std::string command = "evaluate " + output(systems[0]) + " {reference}";
    for (std::size_t i = 1; i < systems.size(); ++i) command += " --systems " + output(systems[i]);
    job.steps.push_back(
        step("compare " + test.name + " with " + systems[0],
             command + " --metrics " + join(test.metrics, ",") + " --test bootstrap --json",
             {.system = nullptr, .places = {{"reference", test.reference}, {"output", job.folder + "/scores.json"}}}));
    return job;
  }

 private:
  struct Context {
    const System* system = nullptr;  // gives {system}, {model} and the flags of its group
    Places places;                   // further ones; values may contain placeholders for folders
  };

  static void add_flags(const Flags& flags, const std::string& command, Words& words) {
    for (const auto& [name, text] : flags)
      if (name == command) append(words, split_command(text).words);
  }

  // The flags of this machine, which come first, so that a command may name another device.
  Words machine_flags(const std::string& command) const {
    Words words = {"--allow-unused"};
    const bool computes = holds({"train", "translate", "score", "classify", "bench"}, command);
    if (computes && !options_.device.empty()) append(words, {"--device", options_.device});
    if (computes && !options_.precision.empty()) append(words, {"--precision", options_.precision});
    if (options_.threads > 0) append(words, {"--threads", std::to_string(options_.threads)});
    if (command == "train") append(words, {"--cache", "{work}/cache"});
    return words;
  }

  // Placeholders for folders, which depend on this run.
  Places folders(const Context& context) const {
    Places places = {{"data", options_.data}, {"work", folder_.work()}};
    for (const System& system : recipe_.systems)
      places[std::string(kSystems) + system.name] = folder_.system(system.name);
    if (context.system != nullptr) places["system"] = folder_.system(context.system->name);
    return places;
  }

  std::string path(const std::string& text, const Context& context) const { return fill(text, folders(context)); }

  // `more` are words to append to the command's own. A command that has an {output} but neither names it nor ends in
  // `> FILE` prints its result: its standard output becomes the {output}.
  Step step(const std::string& title, const std::string& text, const Context& context, const Words& more = {}) const {
    const CommandLine own = split_command(text);
    check(!own.words.empty(), "expected a command for '{}'", title);
    const std::string& name = own.words[0];
    CommandLine command{.words = {}, .output = own.output};
    add_flags(recipe_.flags, name, command.words);
    if (const Group* const group = context.system == nullptr ? nullptr : recipe_.group_of(*context.system))
      add_flags(group->flags, name, command.words);
    append(command.words, Words(own.words.begin() + 1, own.words.end()));
    append(command.words, more);
    if (name == "train") {
      if (flag_values(command.words, "--output").empty()) append(command.words, {"--output", "{system}/run"});
      append(command.words, {"--resume"});
    } else if (context.places.contains("output") && command.output.empty() &&
               join(command.words, " ").find("{output}") == std::string::npos) {
      command.output = "{output}";
    }
    if (options_.miniature) {
      Words small;
      add_flags(recipe_.miniature.flags, name, small);
      make_small(command.words, small);
    }
    Places places = context.places;
    const Places paths = folders(context);
    if (context.system != nullptr) places.emplace("model", context.system->model);
    for (const auto& entry : paths) places.emplace(entry.first, "{" + entry.first + "}");
    CommandLine composed = command;
    const Words machine = machine_flags(name);
    composed.words.insert(composed.words.begin(), machine.begin(), machine.end());
    for (CommandLine* line : {&command, &composed}) {
      line->words.insert(line->words.begin(), name);
      *line = fill(*line, places);
    }
    Step step;
    step.title = title;
    step.recorded = show(command);
    step.command = fill(composed, paths);
    if (name == "train") step.run = flag_values(step.command.words, "--output").back();
    return step;
  }

  // A training run has a folder of its own below that of its system, since what is left of an abandoned run is moved
  // away.
  static void check_run(const Job& job) {
    const std::string& run = job.steps.back().run;
    if (run.empty()) return;
    check(run.starts_with(job.folder + "/") && run.find("..") == std::string::npos,
          "a training run writes to {}; expected a folder of the system, such as --output {{system}}/run", run);
    check(std::count_if(job.steps.begin(), job.steps.end(), [&](const Step& step) { return step.run == run; }) == 1,
          "two training runs write to {}; give one of them --output {{system}}/ANOTHER", run);
  }

  // Translates and scores a test set.
  void add_test(const System& system, const TestSet& test, Job& job) const {
    const std::string prefix = "{system}/tests/" + test.name;
    const auto add = [&](const std::string& title, const std::string& command, const std::string& output,
                         const Words& more = {}) {
      Context context{.system = &system, .places = test_places(test)};
      context.places["translations"] = prefix + ".txt";
      context.places["output"] = prefix + output;
      job.steps.push_back(step(title + " " + test.name, command, context, more));
    };
    const bool translates = system.translate.starts_with("translate ");
    add("translate", system.translate, ".txt", translates ? split_command(test.translate).words : Words());
    add("evaluate", "evaluate {translations} {reference} --metrics " + join(test.metrics, ",") + " --confidence --json",
        ".json");
    if (test.perplexity && !system.score.empty()) add("score", system.score, ".perplexity.json");
  }

  const Recipe& recipe_;
  const Folder& folder_;
  const PlanOptions& options_;
};

Job Planner::figure(const Figure& figure) const {
  Job job;
  job.name = figure.name;
  job.folder = folder_.path + "/figures/" + figure.name;
  const auto file = [&](const char* ending) {
    return fmt::format("{}/{}{}", job.folder, job.measurements.size() + 1, ending);
  };
  // Runs a command, whose result becomes the {output}.
  const auto add = [&](const std::string& title, const std::string& command, Context context, const Words& more = {}) {
    context.system = context.system == nullptr ? &recipe_.system(figure.systems.at(0)) : context.system;
    job.steps.push_back(step(title, command, context, more));
    append_new(job.needs, systems_used(command));
    for (const std::string& name : placeholders(command))
      if (name == "system" || name == "model") append_new(job.needs, {context.system->name});
  };
  const auto measure = [&](const std::string& title, const std::string& value = {}) {
    job.measurements.push_back({title, value, job.steps.size() - 1, file(".json")});
  };
  // Scores the output of the last step.
  const auto evaluate = [&](const std::string& title, const std::string& arguments, Places places) {
    places["output"] = job.measurements.back().result;
    add("evaluate " + title, "evaluate {translations} " + arguments + " --json", {.system = nullptr, .places = places});
  };
  const auto translate = [&](const std::string& name, int first, int lines, const char* output, const Words& more) {
    const System& system = recipe_.system(name);
    const TestSet& test = recipe_.test(figure.test);
    Context context{.system = &system, .places = test_places(test)};
    context.places["input"] = file(".input");
    context.places["output"] = file(output);
    const Excerpt excerpt{path(test.source, context), file(".input"), first, lines};
    add(name, system.translate, context, more);
    job.steps.back().excerpt = excerpt;
    measure(system.title);
  };
  switch (figure.kind) {
    case FigureKind::sweep:
      for (const auto& [title, command] : figure.rows)
        for (const std::string& value : figure.values) {
          const TestSet& test = recipe_.test(figure.test);
          Places places = test_places(test);
          places.insert({{"value", value}, {"output", file(".txt")}, {"translations", file(".txt")}});
          add(title + " " + value, command, {.system = nullptr, .places = places});
          measure(title, value);
          evaluate(title + " " + value, "{reference} --metrics " + join(test.metrics, ","), places);
        }
      break;
    case FigureKind::alignment:
      for (const auto& [title, command] : figure.rows) {
        const Places places = {{"output", file(".txt")}, {"translations", file(".txt")}};
        add(title, command, {.system = nullptr, .places = places});
        measure(title);
        evaluate(title, "--aer " + figure.gold, places);
      }
      break;
    case FigureKind::scaling:
    case FigureKind::statistics:
      for (const auto& [title, command] : figure.rows) {
        add(title, command, {.system = nullptr, .places = {{"output", file(".json")}}}, {"--json"});
        measure(title);
      }
      break;
    case FigureKind::tree:
      translate(figure.systems.at(0), figure.sentence, 1, ".txt", {"--tree", file(".json")});
      break;
    case FigureKind::attention:
      for (const std::string& name : figure.systems)
        if (!options_.miniature || holds(recipe_.miniature.systems, name))
          translate(name, 1, figure.sentences, ".json", {"--json"});
      break;
    case FigureKind::curves:
    case FigureKind::bars: break;
  }
  check(!job.steps.empty() || figure.rows.empty(),
        "there is nothing to measure; expected 'rows' and, for a sweep, 'values'");
  return job;
}

}  // namespace

Plan make_plan(const Recipe& recipe, const Folder& folder, const PlanOptions& options, const Words& chosen) {
  const Planner planner(recipe, folder, options);
  Words all = names_of(recipe.systems), names, figures;
  append(all, names_of(recipe.figures));
  for (const std::string& name : select(all, chosen.empty() ? Words{"*"} : chosen, "system or figure"))
    (holds(names_of(recipe.systems), name) ? names : figures).push_back(name);
  if (chosen.empty() || figures.empty()) figures = names_of(recipe.figures);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const System& system = recipe.system(names[i]);
    append_new(names, with_place(system.where, [&] { return needs_of(system); }));
  }
  Plan plan;
  plan.preparation = planner.preparation();
  for (const System& system : recipe.systems)
    if (holds(names, system.name))
      plan.systems.push_back(with_place(system.where, [&] { return planner.system(system); }));
  for (const Figure& figure : recipe.figures) {
    Job job = with_place(figure.where, [&] { return planner.figure(figure); });
    if (holds(figures, figure.name) && !job.steps.empty()) plan.figures.push_back(std::move(job));
  }
  return plan;
}

std::vector<Job> plan_comparisons(const Recipe& recipe, const Folder& folder, const PlanOptions& options,
                                  const Words& finished) {
  const Planner planner(recipe, folder, options);
  std::map<std::string, Words> compared;  // baseline -> it and the systems of all tables with this baseline
  for (const Table& table : recipe.tables) {
    if (table.baseline.empty()) continue;
    append_new(compared[table.baseline], {table.baseline});
    append_new(compared[table.baseline], table.systems);
  }
  std::vector<Job> jobs;
  for (auto& [baseline, systems] : compared)
    for (const TestSet& test : recipe.tests) {
      Words own = systems;
      std::erase_if(own, [&](const std::string& name) {
        return !holds(finished, name) || !holds(recipe.system(name).tests, test.name);
      });
      if (own.size() > 1 && own[0] == baseline) jobs.push_back(planner.comparison(test, own));
    }
  return jobs;
}

}  // namespace dragoman::recipe
