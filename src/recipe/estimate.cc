#include "recipe/estimate.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/join.h"
#include "base/progress.h"
#include "recipe/job_runner.h"
#include "recipe/runner.h"
#include "recipe/training_log.h"

namespace dragoman::recipe {
namespace {

// What is left of a training run that was interrupted, at the speed that it had.
std::optional<double> rest_of_training(const Step& step) {
  TrainingLog log(step.run + "/log.jsonl");
  if (!log.update() || !log.seconds() || log.share() <= 0) return std::nullopt;
  return std::max(0.0, *log.seconds() * (1 / log.share() - 1));
}

// From the record of the step: if its command was the same, or did the same with other flags.
std::optional<double> measured_before(const Job& job, std::size_t number) {
  const Step& step = job.steps[number];
  const StepRecord record = read_record(job, number);
  if (!step.run.empty()) return record.recorded == step.recorded ? rest_of_training(step) : std::nullopt;
  const bool is_alike = record.finished && record.command.starts_with("dragoman " + step.command.words[0] + " ");
  return is_alike ? std::optional(record.seconds) : std::nullopt;
}

}  // namespace

Estimate estimate(const Job& job) {
  Estimate measured{0, kThisMachine};
  if (is_finished(job)) return measured;
  for (std::size_t i = finished_steps(job); i < job.steps.size(); ++i) {
    const std::optional<double> seconds = measured_before(job, i);
    measured.seconds += seconds.value_or(0);
    measured.is_least = measured.is_least || !seconds;
  }
  return measured.seconds > 0 || !measured.is_least ? measured : Estimate{job.cost.seconds, job.cost.machine};
}

std::string words(const Estimate& estimate) {
  if (estimate.machine.empty()) return "not known";
  return fmt::format("{}{} on {}", estimate.is_least ? "at least " : "", clock_time(estimate.seconds),
                     estimate.machine);
}

std::string sum(const std::vector<Estimate>& estimates) {
  std::vector<Estimate> sums;
  std::size_t unknown = 0;
  for (const Estimate& one : estimates) {
    if (one.machine.empty()) {
      ++unknown;
      continue;
    }
    const auto same =
        std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.machine == one.machine; });
    if (same == sums.end()) {
      sums.push_back(one);
    } else {
      same->seconds += one.seconds;
      same->is_least = same->is_least || one.is_least;
    }
  }
  std::vector<std::string> parts;
  for (const Estimate& one : sums) parts.push_back(words(one));
  if (unknown > 0) parts.push_back(fmt::format("{} not known", unknown));
  return join(parts, " + ");
}

}  // namespace dragoman::recipe
