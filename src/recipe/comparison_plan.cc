#include "recipe/comparison_plan.h"

#include <algorithm>
#include <filesystem>

#include "base/join.h"
#include "recipe/composer.h"
#include "recipe/runner.h"

namespace dragoman::recipe {
namespace {

// Compares systems on a test set, once for every baseline that a table names.
class ComparisonPlanner {
 public:
  ComparisonPlanner(const Recipe& recipe, const Folder& folder, const Composer& composer, const Translated& translated)
      : recipe_(recipe), folder_(folder), composer_(composer), translated_(translated) {}

  void add_to(std::vector<Step>& steps, const TestSet& test) const {
    std::vector<std::string> baselines;
    for (const Table& table : recipe_.tables)
      if (!table.baseline.empty() && has_result(table.baseline, test) &&
          std::find(baselines.begin(), baselines.end(), table.baseline) == baselines.end())
        baselines.push_back(table.baseline);
    for (const std::string& baseline : baselines) {
      const std::string flags = others(test, baseline);
      if (!flags.empty()) steps.push_back(compare(test, baseline, flags, baseline == baselines[0]));
    }
  }

 private:
  bool has_result(const std::string& system, const TestSet& test) const {
    const auto found = translated_.find(system);
    return found != translated_.end() && found->second.contains(test.name);
  }

  static std::string output(const std::string& system, const TestSet& test) {
    return "{systems/" + system + "}/tests/" + test.name + ".txt";
  }

  // The flags for the systems of all tables with this baseline.
  std::string others(const TestSet& test, const std::string& baseline) const {
    std::string flags;
    for (const System& system : recipe_.systems) {
      const bool listed = std::any_of(recipe_.tables.begin(), recipe_.tables.end(), [&](const Table& table) {
        return table.baseline == baseline &&
               (table.systems.empty() ||
                std::find(table.systems.begin(), table.systems.end(), system.name) != table.systems.end());
      });
      if (listed && system.name != baseline && has_result(system.name, test))
        flags += " --systems " + output(system.name, test);
    }
    return flags;
  }

  Step compare(const TestSet& test, const std::string& baseline, const std::string& flags, bool is_first) const {
    const std::string file = is_first ? folder_.comparison(test.name) : folder_.comparison(test.name, baseline);
    return composer_.step(
        "compare " + test.name + " with " + baseline,
        "evaluate " + output(baseline, test) + " {reference}" + flags + " --metrics " + join(test.metrics, ",") +
            " --test bootstrap --json",
        {.system = nullptr, .figure = {}, .places = {{"reference", test.reference}, {"output", file}}});
  }

  const Recipe& recipe_;
  const Folder& folder_;
  const Composer composer_;
  const Translated& translated_;
};

}  // namespace

Translated translated_tests(const Recipe& recipe, const Folder& folder, const Plan& plan) {
  Translated translated;
  for (const System& system : recipe.systems) {
    const bool will_be = std::any_of(plan.systems.begin(), plan.systems.end(),
                                     [&](const Job& job) { return job.name == system.name && !is_finished(job); });
    if (!will_be && !std::filesystem::exists(folder.result(system.name))) continue;
    for (const TestSet* test : recipe.tests_of(system))
      if (will_be || std::filesystem::exists(folder.output(system.name, test->name)))
        translated[system.name].insert(test->name);
  }
  return translated;
}

Job plan_comparisons(const Recipe& recipe, const Folder& folder, const PlanOptions& options,
                     const Translated& translated) {
  Job job;
  job.name = "comparisons";
  job.folder = folder.path + "/comparisons";
  const ComparisonPlanner planner(recipe, folder, Composer(recipe, folder, options), translated);
  for (const TestSet& test : recipe.tests) {
    planner.add_to(job.steps, test);
    check_command_count(job.steps.size());
  }
  return job;
}

}  // namespace dragoman::recipe
