#include "recipe/figure_plan.h"

#include <algorithm>

#include "base/join.h"

namespace dragoman::recipe {
namespace {

using Words = std::vector<std::string>;

// Collects the steps of one figure. Their files are {figure}/N.txt and {figure}/N.json.
class FigurePlanner {
 public:
  FigurePlanner(const Recipe& recipe, const Folder& folder, const Composer& composer, const Figure& figure)
      : recipe_(recipe),
        composer_(composer),
        figure_(figure),
        system_(figure.systems.empty() ? nullptr : &recipe.system(figure.systems[0])) {
    job_.name = figure.name;
    job_.folder = folder.path + "/figures/" + figure.name;
    job_.result = folder.figure(figure.name);
    job_.cost = figure.cost;
  }

  Job plan() {
    switch (figure_.kind) {
      case FigureKind::sweep: sweep(); break;
      case FigureKind::scaling:
      case FigureKind::statistics: printed(); break;
      case FigureKind::alignment: alignment(); break;
      case FigureKind::tree: tree(); break;
      case FigureKind::curves:
      case FigureKind::bars:
      case FigureKind::attention: break;
    }
    return job_;
  }

 private:
  void sweep() {
    check(!figure_.test.empty() && !figure_.values.empty() && !figure_.rows.empty(),
          "a sweep needs 'test', 'values' and 'rows'");
    const TestSet& test = recipe_.test(figure_.test);
    for (const Row& row : figure_.rows)
      for (const std::string& value : figure_.values) {
        Composer::Context context = next(".txt");
        context.places.merge(test_places(test));
        context.places["value"] = value;
        add(row.title + " " + value, row.command, context);
        measure(row.title, value);
        evaluate(row.title + " " + value, "{reference} --metrics " + join(test.metrics, ","), context);
      }
  }

  // Commands that print a JSON object; --json is understood.
  void printed() {
    check(!figure_.rows.empty(), "expected 'rows', the commands to run");
    for (const Row& row : figure_.rows) {
      const bool is_said = has_flag(split_command(row.command), "--json");
      add(row.title, row.command, next(".json"), is_said ? Words{} : Words{"--json"});
      measure(row.title, "");
    }
  }

  void alignment() {
    check(!figure_.gold.empty() && !figure_.rows.empty(), "an alignment needs 'gold' and 'rows'");
    for (const Row& row : figure_.rows) {
      const Composer::Context context = next(".txt");
      add(row.title, row.command, context);
      measure(row.title, "");
      evaluate(row.title, "--aer " + figure_.gold, context);
    }
  }

  void tree() {
    check(system_ != nullptr && !figure_.test.empty(), "a tree needs 'test' and one of 'systems'");
    const TestSet& test = recipe_.test(figure_.test);
    Composer::Context context = next(".txt");
    context.places.merge(test_places(test));
    context.places["input"] = "{figure}/input.txt";
    add(system_->name, system_->translate, context, {"--tree", file(".json")});
    need(system_->name);
    job_.steps.back().excerpt = {composer_.path(test.source, context), composer_.path("{figure}/input.txt", context),
                                 figure_.sentence, 1};
    measure(system_->title, "");
  }

  std::string file(const std::string& suffix) const {
    return "{figure}/" + std::to_string(job_.measurements.size() + 1) + suffix;
  }

  Composer::Context next(const std::string& suffix) const {
    return {.system = system_, .figure = figure_.name, .places = {{"output", file(suffix)}}};
  }

  void add(const std::string& title, const std::string& command, const Composer::Context& context,
           const Words& more = {}) {
    job_.steps.push_back(composer_.step(title, command, context, more));
    for (const std::string& name : systems_used(command)) need(name);
    const std::vector<std::string> used = placeholders(command);
    for (const char* own : {"system", "model"})
      if (std::find(used.begin(), used.end(), own) != used.end()) need(system_->name);
  }

  void need(const std::string& name) {
    if (std::find(job_.needs.begin(), job_.needs.end(), name) == job_.needs.end()) job_.needs.push_back(name);
  }

  void measure(const std::string& title, const std::string& value) {
    const std::string result = composer_.path(file(".json"), next(""));
    job_.measurements.push_back({title, value, job_.steps.size() - 1, result});
  }

  // Scores the output of the step that was added last.
  void evaluate(const std::string& title, const std::string& arguments, Composer::Context context) {
    const std::string number = std::to_string(job_.measurements.size());
    context.places.insert_or_assign("translations", "{figure}/" + number + ".txt");
    context.places.insert_or_assign("output", "{figure}/" + number + ".json");
    add("evaluate " + title, "evaluate {translations} " + arguments + " --json", context);
  }

  const Recipe& recipe_;
  const Composer& composer_;
  const Figure& figure_;
  const System* system_;  // null: the figure names none
  Job job_;
};

}  // namespace

Job plan_figure(const Recipe& recipe, const Folder& folder, const Composer& composer, const Figure& figure) {
  return FigurePlanner(recipe, folder, composer, figure).plan();
}

}  // namespace dragoman::recipe
