#include "recipe/measure.h"

#include <charconv>
#include <filesystem>
#include <fstream>

#include "recipe/training_log.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json parse_file(const std::string& path) {
  std::ifstream file(path);
  check(file.good(), "{}: cannot be read", path);
  Json json = Json::parse(file, nullptr, false);
  check(!json.is_discarded(), "{}: expected JSON", path);
  return json;
}

// Every metric of `evaluate --json` is an object with a score and a signature.
void add_scores(const std::string& test, const Json& json, SystemResult& result) {
  for (const auto& [metric, entry] : json.items()) {
    if (!entry.is_object() || !entry.contains("score")) continue;
    result.values[test + "." + metric] = entry.at("score");
    result.signatures[test + "." + metric] = entry.value("signature", "");
  }
}

void add_perplexity(const std::string& test, const Json& json, SystemResult& result) {
  for (const auto& [unit, suffix] : {std::pair("token", ""), std::pair("word", "-per-word")}) {
    const std::string value = test + ".perplexity" + suffix;
    result.values[value] = json.at("perplexity").at(unit);
    result.signatures[value] = std::string("per ") + unit;
  }
}

// The number in a text, or the text.
Json number_or_text(const std::string& text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc() && end == text.data() + text.size()) return number;
  return text;
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
  if (log.seconds() && updates > 0)
    result.values["train.seconds-per-update"] = (*log.seconds() - log.validation_seconds()) / updates;
}

}  // namespace

SystemResult measure_system(const Recipe& recipe, const Folder& folder, const System& system, const Job& job,
                            const Environment& environment) {
  SystemResult result;
  result.name = system.name;
  result.environment = environment;
  for (std::size_t i = 0; i < job.steps.size(); ++i) {
    const StepRecord record = read_record(job, i);
    result.steps.push_back({record.command, record.seconds});
    if (!job.steps[i].timed.empty()) result.values[job.steps[i].timed] = record.seconds;
  }
  for (const TestSet* test : recipe.tests_of(system)) {
    add_scores(test->name, parse_file(folder.evaluation(system.name, test->name)), result);
    const std::string perplexity = folder.system(system.name) + "/tests/" + test->name + ".perplexity.json";
    if (test->perplexity && !system.score.empty()) add_perplexity(test->name, parse_file(perplexity), result);
  }
  add_training(job, folder, result);
  if (fs::is_regular_file(job.model)) result.values["model.bytes"] = static_cast<double>(fs::file_size(job.model));
  return result;
}

FigureResult measure_figure(const Job& job, const Environment& environment) {
  FigureResult result;
  result.name = job.name;
  result.environment = environment;
  for (const Measurement& measurement : job.measurements) {
    const StepRecord record = read_record(job, measurement.step);
    Json json = parse_file(measurement.result);
    if (!measurement.value.empty()) json["value"] = number_or_text(measurement.value);
    result.rows.push_back({measurement.title, record.command, record.seconds, json});
  }
  return result;
}

}  // namespace dragoman::recipe
