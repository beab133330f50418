#include "recipe/results.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "recipe/steps.h"
#include "report/run_history.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using report::Json;
using report::number;

// The JSON that a step wrote, which must be `what`: a document or, with `lines`, a list of those on its lines.
Json written(const std::string& path, const std::string& what, bool lines = false) {
  check(fs::exists(path), "{}: expected {}, but there is no such file", path, what);
  return report::reading(path, what, [&] {
    if (!lines) return *report::parse_file(path);
    Json list = Json::array();
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) list.push_back(parse_json<Json>(line, path));
    return list;
  });
}

void add_scores(const Folder& folder, const System& system, const TestSet& test, SystemResult& result) {
  const std::string scores = folder.output(system.name, test.name, ".json");
  const Json evaluation = written(scores, "the output of `dragoman evaluate --json`");
  // Every metric is an object with a score and a signature.
  for (const auto& [metric, entry] : evaluation.items())
    if (const auto score = number(entry, "score"))
      result.values[test.name + "." + metric] = {*score, number(entry, "ci95"), report::text(entry, "signature")};
  if (!test.perplexity || system.score.empty()) return;
  const std::string perplexity = folder.output(system.name, test.name, ".perplexity.json");
  const Json score = written(perplexity, "the output of `dragoman score --summary --json`");
  for (const auto& [unit, ending] : {std::pair("token", ""), std::pair("word", "-per-word")})
    if (const auto value = number(report::object_at(score, "perplexity"), unit))
      result.values[test.name + ".perplexity" + ending] = {*value, {}, std::string("per ") + unit};
}

// A vocabulary file was used if one is named; otherwise one of this type was built.
std::string vocabulary_of(const std::map<std::string, std::string>& settings) {
  const auto setting = [&](const char* key) {
    const auto found = settings.find(key);
    return found == settings.end() ? "" : found->second;
  };
  const std::string size = setting("model.target-vocabulary");
  if (size.empty() || setting("task") == "statistical") return "";
  std::string file = setting("vocab.target");
  if (file.empty() && setting("vocab.shared") == "true") file = setting("vocab.source");
  return size + " (" + (file.empty() ? setting("vocab.type") : fs::path(file).filename().string()) + ")";
}

std::optional<double> finite_mean(const std::vector<Json>& lines, const char* key, double from_epoch) {
  double sum = 0, count = 0;
  for (const Json& line : lines)
    if (const auto value = number(line, key); value && number(line, "epoch").value_or(0) > from_epoch) {
      sum += *value;
      ++count;
    }
  if (count == 0) return std::nullopt;
  return sum / count;
}

// .../systems/NAME/tests/TEST.txt -> NAME
std::string system_of(const std::string& output) {
  return fs::path(output).parent_path().parent_path().filename().string();
}

}  // namespace

std::map<std::string, double> training_values(const std::string& log) {
  std::map<std::string, double> values;
  if (!fs::exists(log)) return values;
  const report::RunHistory history(log, false);
  const double updates = number(history.newest, "update").value_or(0),
               epochs = number(history.newest, "epoch").value_or(0);
  values = {{"train.updates", updates},
            {"train.epochs", epochs},
            {"train.parameters", number(history.start(), "parameters").value_or(0)},
            {"train.seconds", history.seconds()}};
  double validation = 0;
  for (const Json& line : history.validation) {
    validation += number(line, "seconds").value_or(0);
    const auto perplexity = number(report::object_at(line, "scores"), "perplexity");
    const auto best = values.find("train.perplexity");
    if (perplexity) values["train.last.perplexity"] = *perplexity;
    if (perplexity && (best == values.end() || *perplexity < best->second)) values["train.perplexity"] = *perplexity;
  }
  if (const auto loss = finite_mean(history.train, "nll", epochs - 1)) values["train.loss"] = *loss;
  if (updates > 0) values["train.seconds-per-update"] = (history.seconds() - validation) / updates;
  return values;
}

SystemResult measure_system(const Recipe& recipe, const Folder& folder, const Job& job) {
  const System& system = recipe.system(job.name);
  constexpr std::string_view kTranslated = "translate ";
  SystemResult result;
  double training = 0;
  for (std::size_t i = 0; i < job.steps.size(); ++i) {
    const Step& step = job.steps[i];
    const StepRecord record = read_record(job, i);
    result.commands.push_back(record.command);
    result.seconds += record.seconds;
    result.measured = record.measured;
    if (!step.run.empty()) {
      const auto own = training_values(step.run + "/log.jsonl");
      training += own.empty() ? record.seconds : own.at("train.seconds");
    }
    if (step.title.starts_with(kTranslated))
      result.values[step.title.substr(kTranslated.size()) + ".seconds"].number = record.seconds;
  }
  for (const std::string& test : system.tests) add_scores(folder, system, recipe.test(test), result);
  for (const auto& [name, value] : training_values(folder.log(job.name))) result.values[name].number = value;
  if (training > 0) result.values["train.seconds"].number = training;
  if (fs::is_regular_file(job.model))
    result.values["model.bytes"].number = static_cast<double>(fs::file_size(job.model));
  if (!fs::exists(folder.log(job.name))) return result;
  const report::RunHistory history(folder.log(job.name), false);
  std::map<std::string, std::string> settings(history.settings.begin(), history.settings.end());
  result.vocabulary = vocabulary_of(settings);
  result.seed = settings["seed"];
  result.hardware = report::text(history.start(), "hardware");
  return result;
}

FigureResult measure_figure(const Figure& figure, const Job& job) {
  FigureResult result;
  for (const Measurement& measurement : job.measurements) {
    const StepRecord record = read_record(job, measurement.step);
    const std::string what = fmt::format("a result of a figure of kind {}", name_of(figure.kind));
    Json json = written(measurement.result, what, figure.kind == FigureKind::attention);
    if (const std::string& text = measurement.value; !text.empty()) {
      const Json value = Json::parse(text, nullptr, false);
      json["value"] = value.is_number() ? value : Json(text);
    }
    result.rows.push_back({measurement.title, record.seconds, std::move(json)});
    result.measured = record.measured;
  }
  return result;
}

Results::Results(const Recipe& of, const Folder& in, const PlanOptions& with)
    : recipe(of), folder(in), options(with), systems(names_of(of.systems)) {
  const Plan plan = make_plan(of, in, with);
  const auto measure = [](const Job& job, auto read) {
    try {
      if (is_finished(job)) read();
    } catch (const Error& error) {
      log::error("{}", error.what());
    }
  };
  for (const Job& job : plan.systems) measure(job, [&] { finished[job.name] = measure_system(of, in, job); });
  for (const Job& job : plan.figures)
    for (const Figure& figure : of.figures)
      if (figure.name == job.name) measure(job, [&] { figures[job.name] = measure_figure(figure, job); });
  for (const Job& job : plan_comparisons(of, in, with, finished_systems(plan)))
    measure(job, [&] {
      const Json scores = written(job.steps[0].command.output, "the output of `dragoman evaluate --json`");
      for (const Json& other : report::list_at(scores, "systems"))
        comparisons[job.name][system_of(report::text(other, "system"))] = other;
    });
  if (with.miniature)
    std::erase_if(systems, [this](const std::string& name) { return !fs::exists(folder.system(name)); });
}

std::vector<const System*> Results::shown(const std::vector<std::string>& names) const {
  std::vector<const System*> list;
  for (const std::string& name : names)
    if (std::find(systems.begin(), systems.end(), name) != systems.end()) list.push_back(&recipe.system(name));
  return list;
}

const Value* Results::value(const std::string& system, const std::string& column) const {
  const auto result = finished.find(system);
  if (result == finished.end()) return nullptr;
  const auto& values = result->second.values;
  const auto [test, metric] = split_column(column);
  const auto found = values.contains(column) ? values.find(column) : values.find(test + "." + json_name(metric));
  return found == values.end() ? nullptr : &found->second;
}

std::optional<double> Results::p(const std::string& system, const std::string& column,
                                 const std::string& baseline) const {
  const auto [test, metric] = split_column(column);
  const auto found = comparisons.find(test + "." + baseline);
  if (found == comparisons.end()) return std::nullopt;
  return number(report::object_at(report::object_at(found->second, system), json_name(metric)), "p_bootstrap");
}

std::pair<std::string, std::string> split_column(const std::string& column) {
  const std::size_t dot = column.rfind('.');
  if (dot == std::string::npos) return {column, ""};
  return {column.substr(0, dot), column.substr(dot + 1)};
}

bool is_per_token(const std::string& column) {
  const std::string metric = split_column(column).second;
  return metric == "perplexity" || metric == "loss" || metric == "nll";
}

std::string json_name(std::string metric) {
  std::replace(metric.begin(), metric.end(), '-', '_');
  return metric;
}

}  // namespace dragoman::recipe
