#include "report/comparison.h"

#include <algorithm>
#include <filesystem>
#include <optional>
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

// A table with a column for each run.
Table table_of_runs(const std::string& title, const char* rows, const std::vector<NamedRun>& runs) {
  Table table;
  table.title = title;
  table.wraps = true;
  table.head = {{.title = rows}};
  for (const NamedRun& run : runs)
    table.head.push_back({.title = run.name, .group = {}, .hint = text(run.history.start(), "command")});
  return table;
}

// Adds a row with the words(run) of every run.
template <class Words>
void add_row(Table& table, const std::string& name, const std::vector<NamedRun>& runs, Words words) {
  std::vector<Cell> row = {{.text = name}};
  for (const NamedRun& run : runs) row.push_back({.text = words(run.history), .is_number = false});
  table.rows.push_back(std::move(row));
}

// A row with the scores of the best validations; the best of them is bold.
void add_scores(Table& table, const std::string& metric, const std::vector<NamedRun>& runs) {
  std::optional<double> best;
  for (const NamedRun& run : runs)
    if (const auto score = best_score(run, metric))
      best = !best ? *score : train::lower_is_better(metric) ? std::min(*best, *score) : std::max(*best, *score);
  std::vector<Cell> row = {{.text = metric}};
  for (const NamedRun& run : runs) {
    const auto score = best_score(run, metric);
    row.push_back({.text = score ? short_number(*score) : "–",
                   .best = runs.size() > 1 && score && score == best,
                   .is_number = false});
  }
  table.rows.push_back(std::move(row));
}

Table overview(const std::vector<NamedRun>& runs) {
  Table table = table_of_runs("Runs", "run", runs);
  add_row(table, "state", runs, [](const RunHistory& run) { return std::string(state_name(run.state)); });
  add_row(table, "preset", runs, [](const RunHistory& run) { return word(run.start(), "preset"); });
  for (const std::string& metric : metrics(runs)) add_scores(table, metric, runs);
  const auto newest = [](const RunHistory& run) { return run.newest.is_object() ? run.newest : run.start(); };
  add_row(table, "parameters", runs, [](const RunHistory& run) { return count_at(run.start(), "parameters"); });
  add_row(table, "updates", runs, [&](const RunHistory& run) { return count_at(newest(run), "update"); });
  add_row(table, "epochs", runs,
          [&](const RunHistory& run) { return fmt::format("{:.2f}", number(newest(run), "epoch").value_or(0)); });
  add_row(table, "time", runs, [](const RunHistory& run) { return clock_time(run.seconds()); });
  add_row(table, "started", runs, [](const RunHistory& run) {
    const Json& first = run.starts.empty() ? run.start() : run.starts.front();
    return first.contains("time") ? show_time(text(first, "time")) : "–";
  });
  add_row(table, "hardware", runs, [](const RunHistory& run) { return word(run.start(), "hardware"); });
  if (!metrics(runs).empty())
    table.notes.push_back("Scores are those of each run's best validation: " + join(metrics(runs), ", ") + ".");
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
  Table table = table_of_runs("Settings that differ", "setting", runs);
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
