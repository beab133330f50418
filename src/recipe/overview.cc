#include "recipe/overview.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/file_lock.h"
#include "base/progress.h"
#include "recipe/estimate.h"
#include "recipe/job_runner.h"
#include "recipe/runner.h"
#include "recipe/training_log.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;

const std::string kDamaged = "damaged: ";

void print_commands(const std::string& heading, const Job& job, bool finished) {
  fmt::print("\n# {}{}\n", heading, finished ? ": finished" : "");
  const std::size_t done = finished ? job.steps.size() : finished_steps(job);
  for (std::size_t i = 0; i < job.steps.size(); ++i)
    fmt::print("{}{}\n", i < done && !finished ? "# finished: " : "", show(job.steps[i].command));
}

bool is_locked(const std::string& folder) {
  return fs::exists(folder + "/lock") && !FileLock::try_lock(folder + "/lock");
}

std::string state_words(const Job& job, bool is_system) {
  const std::size_t done = finished_steps(job);
  const auto at_step = [&] {
    return done == job.steps.size()
               ? "after the last step; the next run collects the results"
               : fmt::format("step {} of {}, {}", done + 1, job.steps.size(), job.steps[done].title);
  };
  if (is_system && !damage(job).empty()) return kDamaged + damage(job);
  if (is_finished(job))
    return is_outdated(job) ? "finished, by other commands than those of the recipe now" : "finished";
  if (is_locked(job.folder)) return "running, " + at_step();
  if (done < job.steps.size() && read_record(job, done).recorded.empty()) {
    const std::string& run = job.steps[done].run;
    if (!run.empty() && fs::exists(run + "/checkpoints"))
      return kDamaged + fmt::format("the record of {}, is missing; remove {} to train again", at_step(), run);
    if (done == 0) return "not started";
  }
  return (done == job.steps.size() ? "interrupted " : "interrupted at ") + at_step();
}

std::string training_words(const Job& job, const Folder& folder) {
  TrainingLog log(folder.log(job.name));
  if (is_finished(job) || !log.update()) return "";
  return fmt::format(", epoch {:.2f}, update {}", log.position().epochs,
                     with_commas(static_cast<std::int64_t>(log.position().updates)));
}

}  // namespace

void print_dry_run(const Recipe& recipe, const Plan& plan, const Job& comparisons) {
  const bool prepared = finished_steps(plan.preparation) == plan.preparation.steps.size();
  if (!plan.preparation.steps.empty()) print_commands("preparation", plan.preparation, prepared);
  for (const Job& job : plan.systems)
    print_commands(fmt::format("{}: {}", job.name, recipe.system(job.name).title), job, is_finished(job));
  for (const Job& job : plan.figures) print_commands("figure " + job.name, job, is_finished(job));
  if (!comparisons.steps.empty()) print_commands(comparisons.name, comparisons, is_finished(comparisons));
  fmt::print("\n# time of what is left, measured here before or stated by the recipe\n");
  std::vector<Estimate> estimates;
  bool can_measure = false;
  const auto print = [&](const std::string& name, const Job& job) {
    estimates.push_back(estimate(job));
    can_measure = can_measure || (estimates.back().machine.empty() && job.trains());
    fmt::print("# {:<40} {}\n", name, words(estimates.back()));
  };
  if (!prepared) print(plan.preparation.name, plan.preparation);
  for (const Job& job : plan.systems)
    if (!is_finished(job)) print(job.name, job);
  for (const Job& job : plan.figures)
    if (!is_finished(job)) print("figure " + job.name, job);
  fmt::print("# {:<40} {}\n", "sum of these times", estimates.empty() ? "nothing is left" : sum(estimates));
  if (can_measure)
    fmt::print("# With --dry-run, a command `dragoman train ...` from above measures its time on this machine.\n");
}

void print_status(const Recipe& recipe, const Folder& folder, const Plan& plan) {
  std::size_t width = 0;
  for (const System& system : recipe.systems) width = std::max(width, system.name.size());
  for (const Job& job : plan.systems) {
    const std::string state = state_words(job, true);
    fmt::print("{:<{}}  {}{}\n", job.name, width, state,
               state.starts_with(kDamaged) ? "" : training_words(job, folder));
  }
  for (const Job& job : plan.figures) fmt::print("figure {:<{}}  {}\n", job.name, width, state_words(job, false));
}

}  // namespace dragoman::recipe
