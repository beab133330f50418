#include "recipe/measure.h"

#include <charconv>
#include <filesystem>

#include "recipe/training_log.h"
#include "report/json_file.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using report::Json;
using report::number;

// What `read` makes of the JSON that a step wrote.
template <class Read>
auto read_output(const std::string& path, const std::string& what, Read read) {
  auto found = report::read_json(path, what, read);
  check(found.has_value(), "{}: expected {}, but there is no such file", path, what);
  return *found;
}

using Values = std::vector<std::tuple<std::string, double, std::string>>;  // name, value, signature

void add(const Values& values, SystemResult& result) {
  for (const auto& [name, value, signature] : values) {
    result.values[name] = value;
    result.signatures[name] = signature;
  }
}

// Every metric of `evaluate --json` is an object with a score and a signature. Scores that are not finite are left out.
Values scores(const std::string& test, const Json& json) {
  Values found;
  for (const auto& [metric, entry] : json.items())
    if (const auto score = number(entry, "score"))
      found.emplace_back(fmt::format("{}.{}", test, metric), *score, entry.value("signature", ""));
  return found;
}

Values perplexities(const std::string& test, const Json& json) {
  Values found;
  for (const auto& [unit, suffix] : {std::pair("token", ""), std::pair("word", "-per-word")})
    if (const auto perplexity = number(json.at("perplexity"), unit))
      found.emplace_back(fmt::format("{}.perplexity{}", test, suffix), *perplexity, std::string("per ") + unit);
  return found;
}

// The number in a text, or the text.
Json number_or_text(const std::string& text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc() && end == text.data() + text.size()) return number;
  return text;
}

// The GPU that the first steps of a job computed on, those that make the model if there are any; empty: none did.
std::string gpu_of(const Job& job) {
  for (std::size_t i = 0; i < job.steps.size(); ++i)
    if (const StepRecord record = read_record(job, i); !record.gpu.empty()) return record.gpu;
  return "";
}

void add_training(const Job& job, const Folder& folder, SystemResult& result) {
  double seconds = 0;
  for (std::size_t i = 0; i < job.model_steps; ++i) {
    if (job.steps[i].run.empty()) continue;
    TrainingLog log(job.steps[i].run + "/log.jsonl");
    log.update();
    seconds += log.seconds().value_or(result.steps[i].seconds);
  }
  if (seconds > 0) result.values["train.seconds"] = seconds;
  TrainingLog log(folder.log(job.name));
  if (!log.update()) return;
  const auto updates = static_cast<double>(log.position().updates);
  result.values["train.updates"] = updates;
  result.values["train.epochs"] = log.position().epochs;
  result.values["train.parameters"] = static_cast<double>(log.parameters());
  if (log.last_epoch_loss()) result.values["train.loss"] = *log.last_epoch_loss();
  if (log.best_perplexity()) result.values["train.perplexity"] = *log.best_perplexity();
  if (log.last_perplexity()) result.values["train.last.perplexity"] = *log.last_perplexity();
  if (log.seconds() && updates > 0)
    result.values["train.seconds-per-update"] = (*log.seconds() - log.validation_seconds()) / updates;
}

}  // namespace

SystemResult measure_system(const Recipe& recipe, const Folder& folder, const System& system, const Job& job,
                            const Environment& environment) {
  SystemResult result;
  result.name = system.name;
  result.environment = environment;
  result.environment.gpu = gpu_of(job);
  for (std::size_t i = 0; i < job.steps.size(); ++i) {
    const StepRecord record = read_record(job, i);
    result.steps.push_back({record.command, record.seconds});
    if (!job.steps[i].timed.empty()) result.values[job.steps[i].timed] = record.seconds;
  }
  for (const TestSet* test : recipe.tests_of(system)) {
    add(read_output(folder.evaluation(system.name, test->name), "the output of `dragoman evaluate --json`",
                    [&](const Json& json) { return scores(test->name, json); }),
        result);
    const std::string perplexity = folder.system(system.name) + "/tests/" + test->name + ".perplexity.json";
    if (test->perplexity && !system.score.empty())
      add(read_output(perplexity, "the output of `dragoman score --summary --json`",
                      [&](const Json& json) { return perplexities(test->name, json); }),
          result);
  }
  add_training(job, folder, result);
  if (fs::is_regular_file(job.model)) result.values["model.bytes"] = static_cast<double>(fs::file_size(job.model));
  return result;
}

FigureResult measure_figure(const Job& job, const Environment& environment) {
  FigureResult result;
  result.name = job.name;
  result.environment = environment;
  result.environment.gpu = gpu_of(job);
  for (const Measurement& measurement : job.measurements) {
    const StepRecord record = read_record(job, measurement.step);
    const std::string what = fmt::format("the JSON that '{}' of figure {} prints", measurement.title, job.name);
    const Json json = read_output(measurement.result, what, [&](Json found) {
      if (!measurement.value.empty()) found["value"] = number_or_text(measurement.value);
      return found;
    });
    result.rows.push_back({measurement.title, record.command, record.seconds, json});
  }
  return result;
}

}  // namespace dragoman::recipe
