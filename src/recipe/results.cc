#include "recipe/results.h"

#include <filesystem>
#include <numeric>

#include "base/file.h"
#include "base/machine.h"
#include "base/utc_time.h"
#include "base/version.h"
#include "report/json_file.h"

namespace dragoman::recipe {
namespace {

using report::Json;

std::string today() { return utc_time().substr(0, std::string_view("2026-01-01").size()); }

Json to_json(const Environment& environment) {
  return {{"version", environment.version}, {"date", environment.date},     {"cpu", environment.cpu},
          {"gpu", environment.gpu},         {"system", environment.system}, {"cores", environment.cores}};
}

Environment environment_from(const Json& json) {
  constexpr double kMostCores = 1'000'000;
  const double cores = std::clamp(report::number(json.at("cores")).value_or(0), 0.0, kMostCores);
  return {json.at("version"), json.at("date"),   json.at("cpu"),
          json.at("gpu"),     json.at("system"), static_cast<int>(cores)};
}

constexpr const char* kResult = "a result of a recipe";

}  // namespace

std::string owner_name(const Recipe& recipe, bool is_miniature) {
  return recipe.name + (is_miniature ? " (miniature)" : "");
}

Environment this_environment() {
  const Machine machine = inspect_machine();
  return {DRAGOMAN_VERSION, today(), machine.cpu, "", machine.system, machine.cores};
}

double SystemResult::seconds() const {
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [](double sum, const StepResult& step) { return sum + step.seconds; });
}

void write_text(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::absolute(path).parent_path());
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

Json to_json(const SystemResult& result) {
  Json steps = Json::array();
  for (const StepResult& step : result.steps) steps.push_back({{"command", step.command}, {"seconds", step.seconds}});
  return {{"name", result.name},
          {"values", result.values},
          {"signatures", result.signatures},
          {"steps", steps},
          {"environment", to_json(result.environment)}};
}

Json to_json(const FigureResult& result) {
  Json rows = Json::array();
  for (const FigureResult::Measured& row : result.rows)
    rows.push_back({{"title", row.title}, {"command", row.command}, {"seconds", row.seconds}, {"result", row.result}});
  return {{"name", result.name}, {"rows", rows}, {"environment", to_json(result.environment)}};
}

std::optional<SystemResult> read_system_result(const std::string& path) {
  return report::read_json(path, kResult, [](const Json& json) {
    SystemResult result;
    result.name = json.at("name");
    for (const auto& [name, value] : json.at("values").items())
      if (const auto finite = report::number(value)) result.values[name] = *finite;
    result.signatures = json.at("signatures").get<std::map<std::string, std::string>>();
    for (const Json& step : json.at("steps")) result.steps.push_back({step.at("command"), step.at("seconds")});
    result.environment = environment_from(json.at("environment"));
    return result;
  });
}

std::optional<FigureResult> read_figure_result(const std::string& path) {
  return report::read_json(path, kResult, [](const Json& json) {
    FigureResult result;
    result.name = json.at("name");
    for (const Json& row : json.at("rows"))
      result.rows.push_back({row.at("title"), row.at("command"), row.at("seconds"), row.at("result")});
    result.environment = environment_from(json.at("environment"));
    return result;
  });
}

}  // namespace dragoman::recipe
