#include "recipe/page_results.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/log.h"
#include "recipe/plan.h"
#include "recipe/runner.h"
#include "report/run_history.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using report::Json;
using report::number;

// The lines of a training log, without sample translations, which are long.
std::vector<Json> read_curves(const std::string& path) {
  std::vector<Json> lines = report::read_log(path);
  for (Json& line : lines) line.erase("samples");
  return lines;
}

constexpr const char* kEvaluation = "the output of `dragoman evaluate --json`";

// Metrics of `evaluate --metrics` are spelled with underscores in its JSON: nltk-bleu is nltk_bleu there.
std::string json_key(const std::string& column) {
  auto [test, metric] = split_column(column);
  std::replace(metric.begin(), metric.end(), '-', '_');
  return test + "." + metric;
}

// .../systems/NAME/tests/TEST.txt -> NAME
std::string system_of(const std::string& output) {
  return fs::path(output).parent_path().parent_path().filename().string();
}

}  // namespace

PageResults::PageResults(const Recipe& recipe, const Folder& folder) : recipe_(recipe), folder_(folder) {
  for (const System& system : recipe.systems) {
    read_system(system.name);
    logs_.emplace(system.name, read_curves(folder.log(system.name)));
    auto& settings = settings_[system.name];
    for (auto& [key, value] : report::read_settings(folder.system(system.name) + "/run/config.yaml"))
      settings.emplace(key, value);
  }
  for (const TestSet& test : recipe.tests) {
    read_evaluations(test.name);
    read_comparison(test.name, folder.comparison(test.name));
    for (const Table& table : recipe.tables)
      read_comparison(test.name, folder.comparison(test.name + "." + table.baseline));
  }
  for (const Figure& figure : recipe.figures)
    if (std::optional<FigureResult> result = read_figure_result(folder.figure(figure.name)))
      figures_.emplace(figure.name, std::move(*result));
  find_outdated();
}

// A damaged result is left out; the report shows the others.
void PageResults::read_system(const std::string& system) {
  try {
    if (std::optional<SystemResult> result = read_system_result(folder_.result(system)))
      systems_.emplace(system, std::move(*result));
  } catch (const Error& error) {
    log::error("{}", error.what());
    damaged_.insert(system);
  }
}

void PageResults::find_outdated() {
  const PlanOptions options{.data = "data", .device = {}, .precision = {}, .threads = 0, .miniature = is_miniature()};
  for (const Job& job : make_plan(recipe_, folder_, options).systems)
    if (recipe::is_outdated(job)) outdated_.insert(job.name);
}

void PageResults::read_evaluations(const std::string& test) {
  for (const System& system : recipe_.systems) {
    const std::string path = folder_.evaluation(system.name, test);
    if (std::optional<Json> scores = report::read_json(path, kEvaluation, [](const Json& json) {
          json.at("system");
          return json;
        }))
      evaluations_[test][system.name] = std::move(*scores);
  }
}

void PageResults::read_comparison(const std::string& test, const std::string& path) {
  const auto comparison = report::read_json(path, kEvaluation, [](const Json& json) {
    Comparison made{system_of(json.at("system")), {}};
    for (const Json& other : json.value("systems", Json::array())) made.scores[system_of(other.at("system"))] = other;
    return made;
  });
  if (comparison) comparisons_[test].push_back(*comparison);
}

const SystemResult* PageResults::finished(const std::string& system) const {
  const auto at = systems_.find(system);
  return at == systems_.end() ? nullptr : &at->second;
}

std::string PageResults::missing_words(const std::string& system) const {
  if (damaged_.contains(system)) return "result damaged";
  return log(system).empty() ? "not run yet" : "not finished yet";
}

std::optional<MeasuredValue> PageResults::value(const System& system, const std::string& name,
                                                const std::string& baseline) const {
  const SystemResult* const result = finished(system.name);
  if (result == nullptr) return std::nullopt;
  const std::string column = result->values.contains(name) ? name : json_key(name);
  if (!result->values.contains(column)) return std::nullopt;
  MeasuredValue found{.value = result->values.at(column), .half_width = {}, .p = {}, .signature = {}};
  if (const auto at = result->signatures.find(column); at != result->signatures.end()) found.signature = at->second;
  const auto [test, metric] = split_column(column);
  if (const auto own = evaluations_.find(test); own != evaluations_.end())
    if (const Json* const entry = score(own->second, system.name, metric); entry != nullptr)
      found.half_width = number(*entry, "ci95");
  const auto comparisons = comparisons_.find(test);
  if (comparisons == comparisons_.end()) return found;
  for (const Comparison& comparison : comparisons->second) {
    const Json* const entry = score(comparison.scores, system.name, metric);
    if (comparison.baseline == baseline && entry != nullptr && entry->contains("p_bootstrap"))
      found.p = number(*entry, "p_bootstrap");
  }
  return found;
}

const Json* PageResults::score(const std::map<std::string, Json>& scores, const std::string& system,
                               const std::string& metric) {
  const auto at = scores.find(system);
  return at == scores.end() || !at->second.contains(metric) ? nullptr : &at->second.at(metric);
}

const FigureResult* PageResults::figure(const std::string& name) const {
  const auto at = figures_.find(name);
  return at == figures_.end() ? nullptr : &at->second;
}

std::vector<std::string> PageResults::environments() const {
  std::vector<std::string> lines;
  const auto add = [&](const Environment& environment) {
    const std::string gpu = environment.gpu.empty() ? "" : environment.gpu + ", ";
    const std::string line =
        fmt::format("{}: dragoman {} on {}{} ({} cores), {}", environment.date, environment.version, gpu,
                    environment.cpu, environment.cores, environment.system);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  };
  for (const System& system : recipe_.systems)
    if (const SystemResult* const result = finished(system.name)) add(result->environment);
  for (const auto& [name, result] : figures_) add(result.environment);
  return lines;
}

std::size_t PageResults::planned_count() const {
  const std::vector<std::string>& small = recipe_.miniature.systems;
  return is_miniature() && !small.empty() ? systems_with_needs(recipe_, small).size() : recipe_.systems.size();
}

bool PageResults::is_miniature() const {
  std::ifstream file(folder_.owner());
  std::string owner;
  return std::getline(file, owner) && owner == owner_name(recipe_, true);
}

std::string PageResults::setting(const System& system, const std::string& key) const {
  const auto& settings = settings_.at(system.name);
  const auto found = settings.find(key);
  return found == settings.end() ? "" : found->second;
}

std::string PageResults::vocabulary(const System& system) const {
  const std::string size = setting(system, "model.target-vocabulary");
  if (size.find_first_not_of("0123456789") != std::string::npos) return "";
  if (size.empty() || setting(system, "task") == "statistical") return "";
  // A vocabulary file was used if one is named; otherwise one of this type was built.
  std::string file = setting(system, "vocab.target");
  if (file.empty() && setting(system, "vocab.shared") == "true") file = setting(system, "vocab.source");
  const std::string kind =
      file.empty() ? setting(system, "vocab.type") : std::filesystem::path(file).filename().string();
  return size + (kind.empty() ? "" : " (" + kind + ")");
}

std::string PageResults::hardware(const System& system) const {
  const SystemResult& result = systems_.at(system.name);
  const Environment& where = result.environment;
  const std::string cpu = fmt::format("{}, {} cores", where.cpu, where.cores);
  // Runs say themselves what they were trained on.
  for (const Json& line : log(system.name))
    if (const std::string own = report::text(line, "hardware"); !own.empty())
      return report::text(line, "device").starts_with("cuda") ? own : cpu;
  const bool computes = std::any_of(result.steps.begin(), result.steps.end(), [](const StepResult& step) {
    return step.command.starts_with("dragoman train ") || step.command.starts_with("dragoman translate ");
  });
  const bool on_cpu = !computes || setting(system, "task") == "statistical" || setting(system, "device") == "cpu";
  return on_cpu || where.gpu.empty() ? cpu : where.gpu;
}

std::string PageResults::full_title(const System& system) const {
  std::set<std::string> titles;
  for (const System& other : recipe_.systems) titles.insert(other.title);
  const Group* const group = recipe_.group_of(system);
  const bool are_unique = titles.size() == recipe_.systems.size();
  return group == nullptr || are_unique ? system.title : group->title + ": " + system.title;
}

std::vector<const System*> PageResults::systems(const std::vector<std::string>& names) const {
  std::vector<const System*> found;
  for (const std::string& name : names) found.push_back(&recipe_.system(name));
  if (names.empty())
    for (const System& system : recipe_.systems) found.push_back(&system);
  return found;
}

std::vector<ScalingSeries> scaling_series(const FigureResult& measured) {
  std::vector<ScalingSeries> found;
  for (const FigureResult::Measured& row : measured.rows) {
    const auto& list = row.result.at("series");
    for (const auto& series : list) {
      const std::string name = series.at("name");
      const bool is_only = list.size() == 1, is_only_row = measured.rows.size() == 1;
      ScalingSeries made{is_only_row ? name : is_only ? row.title : row.title + ", " + name, {}};
      for (const auto& point : series.at("points"))
        if (const auto mean = number(point, "mean")) made.points.emplace_back(point.at("length").get<double>(), *mean);
      found.push_back(std::move(made));
    }
  }
  return found;
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

}  // namespace dragoman::recipe
