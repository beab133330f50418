#include "recipe/page_figures.h"

#include <algorithm>

#include "recipe/page_tables.h"
#include "report/bars.h"
#include "report/beam_tree.h"
#include "report/chart.h"
#include "report/escape.h"
#include "report/run_history.h"
#include "run/result_json.h"
#include "train/scores.h"

namespace dragoman::recipe {
namespace {

using report::AxisKind;
using report::Best;
using report::Chart;
using report::Json;
using report::number;
using report::Series;

constexpr std::size_t kMostTableCharts = 2;

Best best_of(const std::string& metric) { return train::lower_is_better(metric) ? Best::lowest : Best::highest; }

// The points of `value`, "validation.bleu" or "train.nll", against `x`.
Series curve(const std::vector<Json>& log, const std::string& name, const std::string& value, const std::string& x) {
  const auto [kind, key] = split_column(value);
  const std::vector<double> seconds = x == "seconds" ? report::elapsed_seconds(log) : std::vector<double>();
  const Best best = kind == "train" ? Best::none : best_of(key);
  Series found{.name = name, .points = {}, .best = best, .is_noisy = kind == "train"};
  for (std::size_t i = 0; i < log.size(); ++i) {
    const Json& line = log[i];
    if (line.value("kind", "") != kind) continue;
    const Json& scores = line.contains("scores") ? line.at("scores") : line;
    if (const auto score = number(scores, key))
      found.points.emplace_back(x == "seconds" ? seconds[i] : number(line, x).value_or(0), *score);
  }
  return found;
}

// Seconds are shown as minutes or hours where they are many.
std::string time_label(std::vector<Series>& lines) {
  double last = 0;
  for (const Series& line : lines)
    if (!line.points.empty()) last = std::max(last, line.points.back().first);
  const double unit = last > 7200 ? 3600 : last > 300 ? 60 : 1;
  for (Series& line : lines)
    for (auto& point : line.points) point.first /= unit;
  return unit == 3600 ? "training time in hours" : unit == 60 ? "training time in minutes" : "training time in seconds";
}

std::string curve_label(const std::string& value) {
  const auto [kind, key] = split_column(value);
  const std::string what = key == "nll" ? "loss (negative log-likelihood per token)" : metric_name(key);
  return (kind == "train" ? "training " : kind + " ") + what;
}

std::string draw_curves(const Figure& figure, const std::string& title, std::vector<Series> lines) {
  const auto is_empty = [](const Series& line) { return line.points.empty(); };
  if (std::all_of(lines.begin(), lines.end(), is_empty)) return "";
  const std::string x_label = figure.x == "seconds" ? time_label(lines) : figure.x + "s";
  return draw(Chart{.title = title,
                    .x_label = x_label,
                    .y_label = curve_label(figure.value),
                    .series = std::move(lines),
                    .y = figure.logarithmic ? AxisKind::log10 : AxisKind::linear,
                    .starts_at_zero = true});
}

// One chart, or one for each vocabulary where values of different ones cannot be compared.
std::string curves(const PageResults& results, const Figure& figure) {
  std::vector<std::pair<std::string, std::vector<Series>>> charts;
  for (const System* system : results.systems(figure.systems)) {
    const std::string vocabulary = is_per_token(figure.value) ? results.vocabulary(*system) : "";
    auto chart = std::find_if(charts.begin(), charts.end(), [&](const auto& one) { return one.first == vocabulary; });
    if (chart == charts.end()) chart = charts.insert(chart, {vocabulary, {}});
    chart->second.push_back(curve(results.log(system->name), system->title, figure.value, figure.x));
  }
  std::string html;
  for (auto& [vocabulary, lines] : charts)
    html += draw_curves(figure,
                        charts.size() == 1   ? ""
                        : vocabulary.empty() ? "Vocabulary not known"
                                             : "Target vocabulary: " + vocabulary,
                        std::move(lines));
  return html;
}

report::Bars bars_of(const PageResults& results, const std::vector<std::string>& systems, const std::string& column) {
  const auto [test, metric] = split_column(column);
  const auto set = std::find_if(results.recipe().tests.begin(), results.recipe().tests.end(),
                                [&, name = test](const TestSet& entry) { return entry.name == name; });
  const std::string title = set == results.recipe().tests.end() ? column : metric_name(metric) + ", " + set->title;
  report::Bars chart{.title = title, .label = metric_name(metric), .digits = 1, .bars = {}};
  for (const System* system : results.systems(systems)) {
    const std::vector<const TestSet*> own = results.recipe().tests_of(*system);
    if (set != results.recipe().tests.end() && std::find(own.begin(), own.end(), &*set) == own.end()) continue;
    report::Bar bar;
    bar.name = system->title;
    if (system->year != 0) bar.remark = std::to_string(system->year);
    if (const auto measured = results.value(*system, column)) {
      bar.value = measured->value;
      bar.half_width = measured->half_width;
    }
    if (const auto at = system->published.find(column); at != system->published.end()) bar.published = at->second;
    chart.bars.push_back(std::move(bar));
  }
  return chart;
}

std::string scaling(const Figure& figure, const FigureResult& measured) {
  Chart chart{.title = {}, .x_label = "sequence length in tokens", .y_label = "seconds per batch", .series = {}};
  for (const ScalingSeries& series : scaling_series(measured)) chart.series.push_back({series.name, series.points});
  chart.x = AxisKind::log2;
  chart.y = figure.logarithmic ? AxisKind::log10 : AxisKind::linear;
  return draw(chart);
}

// Whether the values of x are spread so widely that a logarithmic axis shows them better.
bool is_geometric(const Chart& chart) {
  report::Extent extent;
  for (const Series& line : chart.series)
    for (const auto& point : line.points) extent.add(point.first);
  return extent.low() > 0 && extent.high() >= 8 * extent.low();
}

// Whether a key of `evaluate --json` is a metric of the test set; chrF comes with chrF++, which has no chart.
bool is_asked_for(const TestSet& test, const std::string& key) {
  return std::any_of(test.metrics.begin(), test.metrics.end(), [&](std::string metric) {
    std::replace(metric.begin(), metric.end(), '-', '_');
    return metric == key;
  });
}

// A chart for every metric, and one of the time.
std::string sweep(const PageResults& results, const Figure& figure, const FigureResult& measured) {
  const std::string x_label = figure.x == Figure().x ? "beam width" : figure.x;
  std::vector<Chart> charts;
  const auto add = [&](const std::string& what, const std::string& label, Best best, const std::string& system,
                       double x, double y) {
    auto chart = std::find_if(charts.begin(), charts.end(), [&](const Chart& one) { return one.title == what; });
    if (chart == charts.end())
      chart = charts.insert(charts.end(), Chart{.title = what, .x_label = x_label, .y_label = label, .series = {}});
    const auto same = [&](const Series& one) { return one.name == system; };
    auto line = std::find_if(chart->series.begin(), chart->series.end(), same);
    if (line == chart->series.end())
      line = chart->series.insert(chart->series.end(), Series{.name = system, .points = {}, .best = best});
    line->points.emplace_back(x, y);
  };
  const TestSet& test = results.recipe().test(figure.test);
  for (const FigureResult::Measured& row : measured.rows) {
    const auto x = number(row.result.at("value"));
    if (!x) continue;
    for (const auto& [metric, entry] : row.result.items())
      if (const auto score = number(entry, "score"); score && is_asked_for(test, metric))
        add(metric_name(metric) + " of " + test.title, metric_name(metric), best_of(metric), row.title, *x, *score);
    add("Time of translating " + test.title, "seconds", Best::none, row.title, *x, row.seconds);
  }
  std::string html;
  for (Chart& chart : charts) {
    if (is_geometric(chart)) chart.x = AxisKind::log2;
    html += draw(chart);
  }
  return html;
}

// The beams of the measured sentences.
std::string trees(const FigureResult& measured) {
  std::string html;
  for (const FigureResult::Measured& row : measured.rows) {
    const report::BeamTree tree = run::tree_from_json(row.result);
    html += "<p>" + report::escape(row.title + ": " + tree.title) +
            "</p><div class='tree' role='region' tabindex='0' aria-label='Beam'>" + draw(tree) + "</div>";
  }
  return html;
}

// Why curves are in several charts.
constexpr const char* kVocabularyNote =
    "<p class='note'>Values per token depend on the vocabulary: compare them only within a chart.</p>";

std::string boxed(const std::string& charts) {
  return charts.empty() ? "" : "<div class='charts'>" + charts + "</div>";
}

}  // namespace

std::string figure_charts(const PageResults& results, const Figure& figure) {
  if (figure.kind == FigureKind::curves) {
    const std::string charts = curves(results, figure);
    const bool are_several = charts.find("<figure") != charts.rfind("<figure");
    return boxed(charts) + (are_several ? kVocabularyNote : "");
  }
  if (figure.kind == FigureKind::bars) return boxed(draw(bars_of(results, figure.systems, figure.value)));
  const FigureResult* const measured = results.figure(figure.name);
  if (measured == nullptr) return "";
  return results.reading(figure, [&]() -> std::string {
    switch (figure.kind) {
      case FigureKind::scaling: return boxed(scaling(figure, *measured));
      case FigureKind::sweep: return boxed(sweep(results, figure, *measured));
      case FigureKind::tree: return trees(*measured);
      default: return "";
    }
  });
}

std::string table_charts(const PageResults& results, const Table& table) {
  std::string html;
  std::size_t drawn = 0;
  for (const Column& column : table.columns) {
    const auto shows_it = [&](const Figure& figure) {
      return figure.kind == FigureKind::bars && figure.value == column.value;
    };
    const std::vector<Figure>& figures = results.recipe().figures;
    if (std::any_of(figures.begin(), figures.end(), shows_it)) continue;
    if (column.value.find("bleu") == std::string::npos || drawn == kMostTableCharts) continue;
    report::Bars chart = bars_of(results, table.systems, column.value);
    chart.title = column.title;
    const auto has_value = [](const report::Bar& bar) { return bar.value.has_value(); };
    if (std::count_if(chart.bars.begin(), chart.bars.end(), has_value) < 2) continue;
    html += draw(chart);
    ++drawn;
  }
  return boxed(html);
}

}  // namespace dragoman::recipe
