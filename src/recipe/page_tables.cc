#include "recipe/page_tables.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/join.h"
#include "base/progress.h"
#include "report/axis.h"

namespace dragoman::recipe {
namespace {

using nlohmann::ordered_json;
using report::Cell;
using report::number;
using report::Tone;

enum class Better { higher, lower, neither };

bool ends_with_any(const std::string& text, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return text.ends_with(ending); });
}

Better better(const std::string& column) {
  if (ends_with_any(column, {".updates", ".epochs", ".parameters", ".bytes"})) return Better::neither;
  if (ends_with_any(column,
                    {".ter", ".perplexity", ".perplexity-per-word", ".loss", ".seconds", ".seconds-per-update"}))
    return Better::lower;
  return Better::higher;
}

bool is_time(const std::string& column) { return ends_with_any(column, {".seconds", ".seconds-per-update"}); }

std::string show_signed(double value, int digits) {
  const std::string size = fmt::format("{:.{}f}", std::abs(value), digits);
  const bool is_zero = size.find_first_not_of("0.") == std::string::npos;
  return (is_zero ? "±" : value < 0 ? "−" : "+") + size;
}

std::string show_p(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p); }

// Ours against the published number: a factor for times, a difference for everything else.
Cell difference(const Column& column, double ours, double published) {
  if (is_time(column.value) && published > 0) return {.text = fmt::format("× {:.3g}", ours / published)};
  Cell cell{.text = show_signed(ours - published, column.digits)};
  const Better direction = better(column.value);
  if (direction == Better::neither || ours == published) return cell;
  cell.tone = (ours > published) == (direction == Better::higher) ? Tone::better : Tone::worse;
  return cell;
}

// The cells of one column of the recipe: ours and, if anything was published, the published value and the difference.
class ColumnCells {
 public:
  ColumnCells(const PageResults& results, const Table& table, const Column& column)
      : results_(results), table_(table), column_(column), systems_(results.systems(table.systems)) {
    for (const System* system : systems_) {
      has_published_ = has_published_ || system->published.contains(column.value);
      if (const auto measured = results.value(*system, column.value)) {
        if (!best_ || (better(column.value) == Better::higher ? measured->value > *best_ : measured->value < *best_))
          best_ = measured->value;
        ++measured_;
        if (!measured->signature.empty()) signatures_.insert(measured->signature);
      }
    }
  }

  void add_head(report::Table& to) const {
    std::string hint;
    for (const std::string& signature : signatures_) hint += (hint.empty() ? "" : "\n") + signature;
    if (!has_published_) {
      to.head.push_back({.title = column_.title, .group = {}, .hint = hint});
      return;
    }
    to.head.push_back({.title = "ours", .group = column_.title, .hint = hint});
    to.head.push_back({.title = "published", .group = column_.title, .hint = results_.recipe().source});
    to.head.push_back({.title = "difference", .group = column_.title, .hint = "ours minus published"});
  }

  void add_cells(const System& system, std::vector<Cell>& row) const {
    const auto measured = results_.value(system, column_.value, table_.baseline);
    row.push_back(ours(system, measured));
    if (!has_published_) return;
    const auto published = system.published.find(column_.value);
    if (published == system.published.end()) {
      row.insert(row.end(), 2, Cell{.text = "–"});
      return;
    }
    row.push_back({.text = show_value(column_.value, published->second, column_.digits)});
    row.push_back(measured ? difference(column_, measured->value, published->second) : Cell{.text = "–"});
  }

  const std::string& title() const { return column_.title; }
  const std::set<std::string>& signatures() const { return signatures_; }

 private:
  Cell ours(const System& system, const std::optional<MeasuredValue>& measured) const {
    if (!measured) {
      const bool says_why = &column_ == &table_.columns.front() && results_.finished(system.name) == nullptr;
      return {.text = says_why ? results_.missing_words(system.name) : "–"};
    }
    Cell cell{.text = show_value(column_.value, measured->value, column_.digits), .hint = measured->signature};
    cell.best = measured_ > 1 && better(column_.value) != Better::neither && measured->value == *best_;
    if (measured->half_width) cell.remark = fmt::format("± {:.{}f}", *measured->half_width, column_.digits);
    if (measured->p && !equals_baseline(cell.text))
      cell.remark += (cell.remark.empty() ? "" : ", ") + show_p(*measured->p);
    return cell;
  }

  // Whether the baseline is printed as the same number, so that there is no difference to test.
  bool equals_baseline(const std::string& text) const {
    const auto baseline = results_.value(results_.recipe().system(table_.baseline), column_.value);
    return baseline && show_value(column_.value, baseline->value, column_.digits) == text;
  }

  const PageResults& results_;
  const Table& table_;
  const Column& column_;
  std::vector<const System*> systems_;
  std::set<std::string> signatures_;
  std::optional<double> best_;
  int measured_ = 0;
  bool has_published_ = false;
};

// A warning where the systems of a column count other tokens; empty where all have the same vocabulary.
std::string vocabulary_note(const PageResults& results, const Table& table, const Column& column) {
  if (!is_per_token(column.value)) return "";
  std::set<std::string> vocabularies;
  for (const System* system : results.systems(table.systems))
    if (results.value(*system, column.value)) vocabularies.insert(results.vocabulary(*system));
  if (vocabularies.size() < 2) return "";
  return column.title + ": per token of each system's own vocabulary. The target vocabularies differ (" +
         join(std::vector<std::string>(vocabularies.begin(), vocabularies.end()), ", ") +
         "); compare only systems with the same one.";
}

std::string with_year(const System& system) {
  return system.year == 0 ? system.title : fmt::format("{} ({})", system.title, system.year);
}

// Whether to mark a system as the baseline; some titles say it already.
bool is_marked(const System& system, const Table& table) {
  return system.name == table.baseline && system.title.find("baseline") == std::string::npos;
}

constexpr const char* kOutdated = "older commands";

std::string remark(const PageResults& results, const System& system, const Table& table) {
  std::vector<std::string> remarks;
  if (is_marked(system, table)) remarks.emplace_back("baseline");
  if (results.is_outdated(system.name)) remarks.emplace_back(kOutdated);
  return join(remarks, ", ");
}

Cell value_cell(const SystemResult& result, const std::string& column) {
  if (!result.values.contains(column)) return {.text = "–"};
  return {.text = show_value(column, result.values.at(column), 3)};
}

// The time of translating all test sets; the hint has that of each.
Cell translation_cell(const PageResults& results, const System& system, const SystemResult& result) {
  double sum = 0;
  std::string each;
  for (const TestSet* test : results.recipe().tests_of(system)) {
    const auto seconds = result.values.find(test->name + ".seconds");
    if (seconds == result.values.end()) continue;
    sum += seconds->second;
    each += (each.empty() ? "" : "\n") + test->title + ": " + show_value(seconds->first, seconds->second, 3);
  }
  if (each.empty()) return {.text = "–"};
  return {.text = show_value("all.seconds", sum, 3), .hint = each};
}

// A number in so many digits, or a dash.
std::string show_number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "–";
}

std::optional<double> per_cent(const std::optional<double>& share) {
  if (!share) return std::nullopt;
  return 100 * *share;
}

std::string show_any(const ordered_json& value) {
  if (value.is_null()) return "–";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return with_commas(value.get<std::int64_t>());
  if (value.is_number()) return report::short_number(value.get<double>());
  return value.dump();
}

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

// One row per quantity, one column per corpus and side.
report::Table statistics_table(const FigureResult& measured) {
  report::Table table;
  table.head = {{.title = "quantity"}};
  for (const FigureResult::Measured& row : measured.rows) {
    for (const char* side : {"source", "target"}) {
      table.head.push_back({.title = side, .group = row.title});
      std::size_t at = 0;
      for (const auto& [key, value] : row.result.at(side).items()) {
        const bool is_share = key == "unknown_share";
        if (table.head.size() == 2) table.rows.push_back({{.text = is_share ? "unknown tokens in %" : spaced(key)}});
        table.rows.at(at++).push_back({.text = is_share ? show_number(per_cent(number(value)), 2) : show_any(value)});
      }
    }
    table.notes.push_back(
        fmt::format("{}: {} types occur in both languages", row.title, show_any(row.result.at("shared_types"))));
  }
  return table;
}

report::Table alignment_table(const FigureResult& measured) {
  report::Table table;
  table.head = {
      {.title = "alignment"},   {.title = "error rate %", .group = {}, .hint = "Och & Ney (2003); lower is better"},
      {.title = "precision %"}, {.title = "recall %"},
      {.title = "links"},       {.title = "time"}};
  double best = std::numeric_limits<double>::infinity();
  for (const FigureResult::Measured& row : measured.rows)
    best = std::min(best, number(row.result.at("aer"), "score").value_or(best));
  for (const FigureResult::Measured& row : measured.rows) {
    const ordered_json& error = row.result.at("aer");
    const auto show = [&](const char* key) { return show_number(per_cent(number(error.at(key))), 1); };
    table.rows.push_back({{.text = row.title},
                          {.text = show("score"), .best = number(error, "score") == best},
                          {.text = show("precision")},
                          {.text = show("recall")},
                          {.text = show_any(error.at("links"))},
                          {.text = clock_time(row.seconds)}});
  }
  return table;
}

// One row per length, one column per series.
report::Table scaling_table(const FigureResult& measured) {
  report::Table table;
  table.head = {{.title = "length"}};
  std::map<std::int64_t, std::map<std::size_t, double>> seconds;
  for (const ScalingSeries& series : scaling_series(measured)) {
    for (const auto& [length, mean] : series.points)
      seconds[static_cast<std::int64_t>(length)][table.head.size() - 1] = mean;
    table.head.push_back({.title = series.name, .group = {}, .hint = "seconds"});
  }
  for (const auto& [length, by_series] : seconds) {
    std::vector<Cell> cells = {{.text = std::to_string(length)}};
    for (std::size_t i = 0; i + 1 < table.head.size(); ++i)
      cells.push_back({.text = by_series.contains(i) ? fmt::format("{:.4g} s", by_series.at(i)) : "–"});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

report::Table sweep_table(const FigureResult& measured) {
  report::Table table;
  table.head = {{.title = "system"}, {.title = "value"}, {.title = "time"}};
  for (const FigureResult::Measured& row : measured.rows) {
    std::vector<Cell> cells = {{.text = row.title},
                               {.text = show_any(row.result.at("value"))},
                               {.text = fmt::format("{:.2f} s", row.seconds)}};
    for (const auto& [metric, score] : row.result.items()) {
      if (!score.is_object() || !score.contains("score")) continue;
      if (table.rows.empty()) table.head.push_back({.title = metric_name(metric)});
      cells.push_back({.text = show_number(number(score, "score"), 2)});
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

report::Table result_table(const PageResults& results, const Table& table) {
  std::vector<ColumnCells> columns;
  report::Table made;
  made.title = table.title;
  made.head.push_back({.title = "system"});
  for (const Column& column : table.columns) {
    columns.emplace_back(results, table, column);
    columns.back().add_head(made);
  }
  bool has_interval = false, has_outdated = false;
  for (const System* system : results.systems(table.systems)) {
    std::vector<Cell> row = {{.text = with_year(*system), .remark = remark(results, *system, table)}};
    has_outdated = has_outdated || results.is_outdated(system->name);
    for (const ColumnCells& column : columns) column.add_cells(*system, row);
    has_interval =
        has_interval || std::any_of(row.begin() + 1, row.end(), [](const Cell& cell) { return !cell.remark.empty(); });
    made.rows.push_back(std::move(row));
  }
  if (has_interval)
    made.notes.push_back("± is the 95 % confidence interval (bootstrap)" +
                         (table.baseline.empty() ? std::string(".")
                                                 : "; p is that of the paired bootstrap test against " +
                                                       results.recipe().system(table.baseline).title + "."));
  if (has_outdated)
    made.notes.push_back(
        fmt::format("{}: the system was trained by other commands than those of the recipe now.", kOutdated));
  for (const Column& column : table.columns)
    if (const std::string words = vocabulary_note(results, table, column); !words.empty()) made.notes.push_back(words);
  // One note per signature, with the columns that have it.
  std::vector<std::pair<std::string, std::string>> titles;
  for (const ColumnCells& column : columns)
    for (const std::string& signature : column.signatures()) {
      const auto same = std::find_if(titles.begin(), titles.end(), [&](const auto& e) { return e.first == signature; });
      if (same == titles.end())
        titles.emplace_back(signature, column.title());
      else
        same->second += "; " + column.title();
    }
  for (const auto& [signature, columns_of_it] : titles)
    made.notes.push_back(fmt::format("{}: {}", columns_of_it, signature));
  return made;
}

report::Table cost_table(const PageResults& results) {
  report::Table table;
  table.title = "Time and cost";
  table.head = {{.title = "system"},
                {.title = "parameters"},
                {.title = "updates"},
                {.title = "epochs"},
                {.title = "training"},
                {.title = "per update"},
                {.title = "translation", .group = {}, .hint = "of all test sets"},
                {.title = "everything", .group = {}, .hint = "all commands of the system"},
                {.title = "model"},
                {.title = "seed"},
                {.title = "hardware"}};
  for (const System& system : results.recipe().systems) {
    const SystemResult* const result = results.finished(system.name);
    if (result == nullptr) continue;
    std::vector<Cell> row = {{.text = results.full_title(system)}};
    for (const char* column :
         {"train.parameters", "train.updates", "train.epochs", "train.seconds", "train.seconds-per-update"})
      row.push_back(value_cell(*result, column));
    row.push_back(translation_cell(results, system, *result));
    row.push_back({.text = clock_time(result->seconds())});
    row.push_back(value_cell(*result, "model.bytes"));
    const std::string seed = results.setting(system, "seed");
    row.push_back({.text = seed.empty() ? "–" : seed});
    row.push_back({.text = results.hardware(system), .is_number = false});
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back("Wall-clock times; systems that ran at the same time shared the machine.");
  return table;
}

report::Table figure_table(const PageResults& results, const Figure& figure) {
  const FigureResult* const measured = results.figure(figure.name);
  if (measured == nullptr) return {};
  report::Table table = results.reading(figure, [&]() -> report::Table {
    switch (figure.kind) {
      case FigureKind::statistics: return statistics_table(*measured);
      case FigureKind::alignment: return alignment_table(*measured);
      case FigureKind::scaling: return scaling_table(*measured);
      case FigureKind::sweep: return sweep_table(*measured);
      default: return {};
    }
  });
  table.title = figure.title;
  return table;
}

std::string show_value(const std::string& column, double value, int digits) {
  if (is_time(column)) return value >= 60 ? clock_time(value) : fmt::format("{:.3g} s", value);
  if (column.ends_with(".parameters")) return report::short_number(value);
  if (column.ends_with(".bytes")) return fmt::format("{:.1f} MB", value / 1e6);
  if (column.ends_with(".updates")) return with_commas(static_cast<std::int64_t>(value));
  if (column.ends_with(".epochs")) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, digits);
}

std::string metric_name(std::string metric) {
  static const std::map<std::string, std::string> names = {{"bleu", "BLEU"},
                                                           {"chrf", "chrF"},
                                                           {"chrfpp", "chrF++"},
                                                           {"ter", "TER"},
                                                           {"nltk_bleu", "BLEU (NLTK)"},
                                                           {"multi_bleu", "BLEU (multi-bleu)"}};
  std::replace(metric.begin(), metric.end(), '-', '_');
  const auto known = names.find(metric);
  return known == names.end() ? metric : known->second;
}

}  // namespace dragoman::recipe
