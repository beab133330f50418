#include "recipe/tables.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/join.h"
#include "base/progress.h"
#include "report/axis.h"

namespace dragoman::recipe {
namespace {

using report::Cell;
using report::Json;
using report::number;
using report::Tone;

constexpr const char* kNone = "–";

bool ends_with_any(const std::string& text, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return text.ends_with(ending); });
}

bool is_time(const std::string& column) { return ends_with_any(column, {".seconds", ".seconds-per-update"}); }
bool has_best(const std::string& column) {
  return !ends_with_any(column, {".updates", ".epochs", ".parameters", ".bytes"});
}
bool is_lower_better(const std::string& column) {
  return is_time(column) || ends_with_any(column, {".ter", ".perplexity", ".perplexity-per-word", ".loss"});
}

// A value of a column in words: 14:18:00 for seconds, 44.1M for parameters, otherwise with so many digits.
std::string show_value(const std::string& column, double value, int digits) {
  if (is_time(column)) return value >= 60 ? clock_time(value) : fmt::format("{:.3g} s", value);
  if (column.ends_with(".parameters")) return report::short_number(value);
  if (column.ends_with(".bytes")) return fmt::format("{:.1f} MB", value / 1e6);
  if (column.ends_with(".updates")) return with_commas(static_cast<std::int64_t>(value));
  if (column.ends_with(".epochs")) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, digits);
}

// Ours against the published number: a factor for times, a difference for everything else.
Cell difference(const Column& column, double ours, double published) {
  if (is_time(column.value) && published > 0) return {.text = fmt::format("× {:.3g}", ours / published)};
  const std::string size = fmt::format("{:.{}f}", std::abs(ours - published), column.digits);
  const bool is_zero = size.find_first_not_of("0.") == std::string::npos;
  Cell cell{.text = (is_zero ? "±" : ours < published ? "−" : "+") + size};
  if (!has_best(column.value) || ours == published) return cell;
  cell.tone = (ours < published) == is_lower_better(column.value) ? Tone::better : Tone::worse;
  return cell;
}

// One column of a table of the recipe: ours and, if anything was published, the published value and the difference.
class ColumnCells {
 public:
  ColumnCells(const Results& results, const Table& table, const Column& column)
      : results_(results), table_(table), column_(column) {
    for (const System* system : results.shown(table.systems)) {
      has_published_ = has_published_ || system->published.contains(column.value);
      const Value* const value = results.value(system->name, column.value);
      if (value == nullptr) continue;
      if (measured_++ == 0 || (value->number < best_) == is_lower_better(column.value)) best_ = value->number;
      if (!value->signature.empty()) signatures.insert(value->signature);
      if (is_per_token(column.value)) vocabularies.insert(results.finished.at(system->name).vocabulary);
    }
  }

  void add_head(report::Table& to) const {
    if (!has_published_) return to.head.push_back({.title = column_.title});
    to.head.push_back({.title = "ours", .group = column_.title});
    to.head.push_back({.title = "published", .group = column_.title, .hint = results_.recipe.source});
    to.head.push_back({.title = "difference", .group = column_.title, .hint = "ours minus published"});
  }

  void add_cells(const System& system, std::vector<Cell>& row) const {
    const Value* const value = results_.value(system.name, column_.value);
    row.push_back(ours(system, value));
    if (!has_published_) return;
    const auto published = system.published.find(column_.value);
    if (published == system.published.end()) {
      row.insert(row.end(), 2, Cell{.text = kNone});
      return;
    }
    row.push_back({.text = show_value(column_.value, published->second, column_.digits)});
    row.push_back(value != nullptr ? difference(column_, value->number, published->second) : Cell{.text = kNone});
  }

  const std::string& title() const { return column_.title; }

  std::set<std::string> signatures, vocabularies;

 private:
  Cell ours(const System& system, const Value* value) const {
    if (value == nullptr) {
      const bool says_why = &column_ == &table_.columns.front() && !results_.finished.contains(system.name);
      return {.text = says_why ? "not run yet" : kNone};
    }
    Cell cell{.text = show_value(column_.value, value->number, column_.digits), .hint = value->signature};
    cell.best = measured_ > 1 && has_best(column_.value) && value->number == best_;
    if (value->half_width) cell.remark = fmt::format("± {:.{}f}", *value->half_width, column_.digits);
    if (const auto p = results_.p(system.name, column_.value, table_.baseline)) {
      cell.remark += cell.remark.empty() ? "" : ", ";
      cell.remark += *p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", *p);
    }
    return cell;
  }

  const Results& results_;
  const Table& table_;
  const Column& column_;
  double best_ = 0;
  int measured_ = 0;
  bool has_published_ = false;
};

std::string name_of_row(const Results& results, const System& system) {
  // Systems of several groups may have the same title.
  std::set<std::string> titles;
  for (const System& other : results.recipe.systems) titles.insert(other.title);
  const Group* const group = results.recipe.group_of(system);
  const bool are_unique = titles.size() == results.recipe.systems.size();
  return group == nullptr || are_unique ? system.title : group->title + ": " + system.title;
}

std::string show_any(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return with_commas(value.get<std::int64_t>());
  return value.is_number() ? report::short_number(value.get<double>()) : kNone;
}

// Adds the numbers of an object with their names, such as "source mean length"; of a metric only its score.
void add_numbers(const Json& object, const std::string& before, std::vector<std::pair<std::string, std::string>>& to) {
  for (const auto& [key, value] : object.items()) {
    std::string name = before + key;
    std::replace(name.begin(), name.end(), '_', ' ');
    if (value.is_object() && value.contains("signature"))
      to.emplace_back(metric_name(key), show_any(value.value("score", Json())));
    else if (value.is_object())
      add_numbers(value, name + " ", to);
    else if (value.is_number() || value.is_null() || key == "value")
      to.emplace_back(name, show_any(value));
  }
}

// One row per quantity, one column per row of the figure.
report::Table numbers_table(const FigureResult& measured) {
  report::Table table;
  table.head = {{.title = "quantity"}};
  for (const FigureResult::Row& row : measured.rows) {
    std::vector<std::pair<std::string, std::string>> numbers;
    add_numbers(row.result, "", numbers);
    numbers.emplace_back("time", clock_time(row.seconds));
    table.head.push_back({.title = row.title});
    for (const auto& [name, text] : numbers) {
      const auto has_name = [name = name](const std::vector<Cell>& cells) { return cells[0].text == name; };
      auto at = std::find_if(table.rows.begin(), table.rows.end(), has_name);
      if (at == table.rows.end()) at = table.rows.insert(at, {{.text = name}});
      at->resize(table.head.size(), {.text = kNone});
      at->back().text = text;
    }
  }
  for (auto& row : table.rows) row.resize(table.head.size(), {.text = kNone});
  return table;
}

// One row per length, one column per series.
report::Table scaling_table(const FigureResult& measured) {
  report::Table table;
  table.head = {{.title = "length"}};
  const ScalingSeries series = scaling_series(measured);
  std::map<double, std::vector<Cell>> rows;
  for (std::size_t i = 0; i < series.size(); ++i) {
    table.head.push_back({.title = series[i].first, .group = {}, .hint = "seconds"});
    for (const auto& [length, seconds] : series[i].second) {
      auto& row = rows.try_emplace(length, series.size(), Cell{.text = kNone}).first->second;
      row[i].text = fmt::format("{:.4g} s", seconds);
    }
  }
  for (auto& [length, row] : rows) {
    row.insert(row.begin(), {.text = fmt::format("{:g}", length)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

report::Table result_table(const Results& results, const Table& table) {
  std::vector<ColumnCells> columns;
  report::Table made;
  made.title = table.title;
  made.head.push_back({.title = "system"});
  columns.reserve(table.columns.size());
  for (const Column& column : table.columns) {
    columns.emplace_back(results, table, column);
    columns.back().add_head(made);
  }
  bool has_interval = false;
  for (const System* system : results.shown(table.systems)) {
    const bool is_marked = system->name == table.baseline && system->title.find("baseline") == std::string::npos;
    const std::string year = system->year == 0 ? "" : fmt::format(" ({})", system->year);
    std::vector<Cell> row = {{.text = system->title + year, .remark = is_marked ? "baseline" : ""}};
    for (const ColumnCells& column : columns) column.add_cells(*system, row);
    for (std::size_t i = 1; i < row.size(); ++i) has_interval = has_interval || !row[i].remark.empty();
    made.rows.push_back(std::move(row));
  }
  if (has_interval)
    made.notes.push_back("± is the 95 % confidence interval (bootstrap)" +
                         (table.baseline.empty() ? std::string(".")
                                                 : "; p is that of the paired bootstrap test against " +
                                                       results.recipe.system(table.baseline).title + "."));
  std::vector<std::pair<std::string, std::string>> titles;  // signature -> the columns that have it
  for (const ColumnCells& column : columns) {
    if (column.vocabularies.size() > 1)
      made.notes.push_back(fmt::format(
          "{}: per token of each system's own vocabulary. The target vocabularies differ ({}); compare only "
          "systems with the same one.",
          column.title(), join(std::vector(column.vocabularies.begin(), column.vocabularies.end()), ", ")));
    for (const std::string& signature : column.signatures) {
      const auto same = std::find_if(titles.begin(), titles.end(), [&](const auto& e) { return e.first == signature; });
      if (same == titles.end())
        titles.emplace_back(signature, column.title());
      else
        same->second += "; " + column.title();
    }
  }
  for (const auto& [signature, names] : titles) made.notes.push_back(names + ": " + signature);
  return made;
}

report::Table cost_table(const Results& results) {
  report::Table table;
  table.title = "Time and cost";
  for (const char* title : {"system", "parameters", "updates", "epochs", "training", "per update", "translation",
                            "everything", "model", "seed", "hardware"})
    table.head.push_back({.title = title});
  for (const System& system : results.recipe.systems) {
    const auto result = results.finished.find(system.name);
    if (result == results.finished.end()) continue;
    std::vector<Cell> row = {{.text = name_of_row(results, system)}};
    const auto add = [&](const char* column) {
      const Value* const value = results.value(system.name, column);
      row.push_back({.text = value == nullptr ? kNone : show_value(column, value->number, 3)});
    };
    for (const char* column :
         {"train.parameters", "train.updates", "train.epochs", "train.seconds", "train.seconds-per-update"})
      add(column);
    double translation = 0;
    for (const std::string& test : system.tests)
      if (const Value* const value = results.value(system.name, test + ".seconds")) translation += value->number;
    row.push_back({.text = show_value("all.seconds", translation, 3)});
    row.push_back({.text = clock_time(result->second.seconds)});
    add("model.bytes");
    row.push_back({.text = result->second.seed.empty() ? kNone : result->second.seed});
    row.push_back({.text = result->second.hardware.empty() ? "CPU" : result->second.hardware, .is_number = false});
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back("Wall-clock times; systems that ran at the same time shared the machine.");
  return table;
}

report::Table figure_table(const Results& results, const Figure& figure) {
  const auto measured = results.figures.find(figure.name);
  if (measured == results.figures.end()) return {};
  report::Table table;
  if (figure.kind == FigureKind::scaling) table = scaling_table(measured->second);
  if (figure.kind == FigureKind::alignment || figure.kind == FigureKind::statistics || figure.kind == FigureKind::sweep)
    table = numbers_table(measured->second);
  table.title = figure.title;
  return table;
}

ScalingSeries scaling_series(const FigureResult& measured) {
  ScalingSeries found;
  for (const FigureResult::Row& row : measured.rows)
    for (const Json& series : row.result.at("series")) {
      const std::string name = series.at("name");
      found.emplace_back(measured.rows.size() == 1 ? name : row.title + ", " + name,
                         std::vector<std::pair<double, double>>());
      for (const Json& point : series.at("points"))
        if (const auto mean = number(point, "mean"))
          found.back().second.emplace_back(point.at("length").get<double>(), *mean);
    }
  return found;
}

std::string metric_name(const std::string& metric) {
  static const std::map<std::string, std::string> names = {{"bleu", "BLEU"},
                                                           {"chrf", "chrF"},
                                                           {"chrfpp", "chrF++"},
                                                           {"ter", "TER"},
                                                           {"nltk_bleu", "BLEU (NLTK)"},
                                                           {"multi_bleu", "BLEU (multi-bleu)"}};
  const auto known = names.find(json_name(metric));
  return known == names.end() ? metric : known->second;
}

}  // namespace dragoman::recipe
