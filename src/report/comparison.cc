#include "report/comparison.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/join.h"
#include "base/progress.h"
#include "report/axis.h"
#include "report/page_frame.h"
#include "report/run_charts.h"
#include "report/table.h"
#include "train/scores.h"

namespace dragoman::report {
namespace {

namespace fs = std::filesystem;

// The folder of a run, given by itself or by its log.
fs::path folder_of(const std::string& run) {
  const fs::path path = fs::absolute(run).lexically_normal();
  if (fs::is_regular_file(path)) return path.parent_path();
  return path.has_filename() ? path : path.parent_path();
}

// The metrics of all runs' best validations, in order of appearance.
std::vector<std::string> metrics(const std::vector<NamedRun>& runs) {
  std::vector<std::string> names;
  for (const NamedRun& run : runs)
    if (const Json* const best = run.history.best())
      for (const auto& [name, value] : object_at(*best, "scores").items())
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::optional<double> best_score(const NamedRun& run, const std::string& metric) {
  const Json* const best = run.history.best();
  return best == nullptr ? std::nullopt : number(object_at(*best, "scores"), metric);
}

std::string setting(const NamedRun& run, const std::string& key) {
  for (const auto& [name, value] : run.history.settings)
    if (name == key) return value;
  return "";
}

std::string word(const Json& line, const char* key) {
  const std::string found = text(line, key);
  return found.empty() ? "–" : found;
}

Table overview(const std::vector<NamedRun>& runs) {
  Table table;
  table.title = "Runs";
  table.head = {{.title = "run"}, {.title = "state"}, {.title = "started"}, {.title = "preset"}};
  std::map<std::string, double> best;
  for (const std::string& metric : metrics(runs)) {
    table.head.push_back({.title = metric, .group = "at the best validation"});
    for (const NamedRun& run : runs)
      if (const auto score = best_score(run, metric)) {
        const auto [known, is_new] = best.emplace(metric, *score);
        if (!is_new)
          known->second =
              train::lower_is_better(metric) ? std::min(known->second, *score) : std::max(known->second, *score);
      }
  }
  for (const char* title : {"parameters", "updates", "epochs", "time"}) table.head.push_back({.title = title});
  table.head.push_back({.title = "hardware"});
  for (const NamedRun& run : runs) {
    const RunHistory& history = run.history;
    const Json& first = history.starts.empty() ? history.start() : history.starts.front();
    std::vector<Cell> row = {
        {.text = run.name, .hint = text(history.start(), "command")},
        {.text = state_name(history.state), .hint = history.describe_state(), .is_number = false},
        {.text = first.contains("time") ? show_time(text(first, "time")) : "–", .is_number = false},
        {.text = word(history.start(), "preset"), .is_number = false}};
    for (const std::string& metric : metrics(runs)) {
      const auto score = best_score(run, metric);
      row.push_back(
          {.text = score ? short_number(*score) : "–", .best = runs.size() > 1 && score && *score == best[metric]});
    }
    row.push_back({.text = count_at(history.start(), "parameters")});
    const Json& newest = history.newest.is_object() ? history.newest : history.start();
    row.push_back({.text = count_at(newest, "update")});
    row.push_back({.text = fmt::format("{:.2f}", number(newest, "epoch").value_or(0))});
    row.push_back({.text = clock_time(history.seconds())});
    row.push_back({.text = word(history.start(), "hardware"), .is_number = false});
    table.rows.push_back(std::move(row));
  }
  std::set<std::string> vocabularies;
  for (const NamedRun& run : runs)
    vocabularies.insert(setting(run, "model.target-vocabulary") + " " + setting(run, "vocab.type"));
  if (vocabularies.size() > 1)
    table.notes.push_back(
        "Loss and perplexity are per token of each run's own target vocabulary. These vocabularies differ, so compare "
        "the runs by BLEU or chrF instead.");
  return table;
}

// The settings that are not the same in all runs. Paths of the runs themselves always differ.
Table differences(const std::vector<NamedRun>& runs) {
  Table table;
  table.title = "Settings that differ";
  table.head = {{.title = "setting"}};
  for (const NamedRun& run : runs) table.head.push_back({.title = run.name});
  std::vector<std::string> keys;
  for (const NamedRun& run : runs)
    for (const auto& [key, value] : run.history.settings)
      if (key != "output" && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  for (const std::string& key : keys) {
    std::vector<Cell> row = {{.text = key}};
    std::set<std::string> values;
    for (const NamedRun& run : runs) {
      values.insert(setting(run, key));
      row.push_back({.text = setting(run, key), .is_number = false});
    }
    if (values.size() > 1) table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  std::vector<std::vector<std::string>> parts;
  for (const std::string& path : paths) {
    parts.emplace_back();
    for (const fs::path& part : folder_of(path)) parts.back().push_back(part.string());
  }
  const auto all_alike = [&](const auto& part_of) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const auto& one) { return one.size() > 1 && part_of(one) == part_of(parts.front()); });
  };
  const std::string last = parts.empty() ? "" : parts.front().back();
  while (all_alike([](const auto& one) { return one.back(); }))
    for (auto& one : parts) one.pop_back();
  while (all_alike([](const auto& one) { return one.front(); }))
    for (auto& one : parts) one.erase(one.begin());
  std::vector<std::string> names;
  for (const auto& one : parts) names.push_back(join(one, "/"));
  // The same run twice.
  if (std::set<std::string>(names.begin(), names.end()).size() == 1) names.assign(names.size(), last);
  return names;
}

std::string comparison_page(const std::vector<std::string>& runs) {
  const std::vector<std::string> names = short_names(runs);
  std::vector<NamedRun> named;
  for (std::size_t i = 0; i < runs.size(); ++i) named.push_back({names[i], history_of(runs[i])});
  const Table settings = differences(named);
  const std::string title = fmt::format("Comparison of {} training runs", runs.size());
  return to_html(Page{.title = title,
                      .style = {},
                      .body_attributes = {},
                      .body = "<h1>" + title + "</h1>" + to_html(overview(named)) + "<h2>Curves</h2>" +
                              chart_controls() + comparison_charts(named) + "<h2>Settings</h2>" +
                              (settings.rows.empty() ? "<p>The logs of these runs show no setting that differs.</p>"
                                                     : to_html(settings)),
                      .script = {}});
}

}  // namespace dragoman::report
