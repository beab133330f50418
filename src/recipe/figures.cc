#include "recipe/figures.h"

#include <algorithm>

#include "recipe/tables.h"
#include "report/bars.h"
#include "report/beam_tree.h"
#include "report/chart.h"
#include "report/escape.h"
#include "report/run_history.h"
#include "report/word_matrix.h"
#include "run/result_json.h"
#include "train/scores.h"

namespace dragoman::recipe {
namespace {

using report::AxisKind;
using report::Best;
using report::Chart;
using report::escape;
using report::Json;
using report::number;
using report::Series;

Best best_of(const std::string& metric) { return train::lower_is_better(metric) ? Best::lowest : Best::highest; }

// The points of `value`, "validation.bleu" or "train.nll", against `x`, in the log of a system.
Series curve(const Results& results, const System& system, const std::string& value, const std::string& x) {
  const auto [kind, key] = split_column(value);
  const std::vector<Json> log = report::read_log(results.folder.log(system.name));
  const std::vector<double> seconds = report::elapsed_seconds(log);
  const bool is_training = kind == "train";
  Series found{
      .name = system.title, .points = {}, .best = is_training ? Best::none : best_of(key), .is_noisy = is_training};
  for (std::size_t i = 0; i < log.size(); ++i)
    if (report::text(log[i], "kind") == kind)
      if (const auto score = number(is_training ? log[i] : report::object_at(log[i], "scores"), key))
        found.points.emplace_back(x == "seconds" ? seconds[i] : number(log[i], x).value_or(0), *score);
  return found;
}

std::string vocabulary(const Results& results, const System& system) {
  const auto result = results.finished.find(system.name);
  return result == results.finished.end() ? "" : result->second.vocabulary;
}

// One chart, or one for each vocabulary where values of different ones cannot be compared.
std::string curves(const Results& results, const Figure& figure) {
  const std::string x = figure.x.empty() ? "update" : figure.x, key = split_column(figure.value).second;
  const std::string what = key == "nll" ? "loss (negative log-likelihood per token)" : metric_name(key);
  std::vector<Chart> charts;
  for (const System* system : results.shown(figure.systems)) {
    Series line = curve(results, *system, figure.value, x);
    if (line.points.empty()) continue;
    const std::string own = is_per_token(figure.value) ? vocabulary(results, *system) : "";
    const std::string title = own.empty() ? "" : "Target vocabulary: " + own;
    auto chart = std::find_if(charts.begin(), charts.end(), [&](const Chart& one) { return one.title == title; });
    if (chart == charts.end())
      chart = charts.insert(chart, Chart{.title = title,
                                         .x_label = x == "seconds" ? "training time in seconds" : x + "s",
                                         .y_label = split_column(figure.value).first + " " + what,
                                         .series = {},
                                         .y = figure.logarithmic ? AxisKind::log10 : AxisKind::linear,
                                         .starts_at_zero = true});
    chart->series.push_back(std::move(line));
  }
  std::string html;
  for (Chart& chart : charts) {
    if (charts.size() == 1) chart.title.clear();
    html += draw(chart);
  }
  if (charts.size() > 1)
    html += "<p class='note'>Values per token depend on the vocabulary: compare them only within a chart.</p>";
  return html;
}

std::string bars(const Results& results, const Figure& figure) {
  const std::string metric = metric_name(split_column(figure.value).second);
  report::Bars chart{.title = {}, .label = metric, .digits = 1, .bars = {}};
  for (const System* system : results.shown(figure.systems)) {
    report::Bar bar{.name = system->title, .remark = {}, .value = {}, .half_width = {}, .published = {}};
    if (system->year != 0) bar.remark = std::to_string(system->year);
    if (const Value* const value = results.value(system->name, figure.value)) {
      bar.value = value->number;
      bar.half_width = value->half_width;
    }
    if (const auto at = system->published.find(figure.value); at != system->published.end()) bar.published = at->second;
    chart.bars.push_back(std::move(bar));
  }
  return draw(chart);
}

std::string scaling(const Figure& figure, const FigureResult& measured) {
  Chart chart{.title = {}, .x_label = "sequence length in tokens", .y_label = "seconds per batch", .series = {}};
  for (const auto& [name, points] : scaling_series(measured)) chart.series.push_back({name, points});
  chart.x = AxisKind::log2;
  chart.y = figure.logarithmic ? AxisKind::log10 : AxisKind::linear;
  return draw(chart);
}

// A chart for every metric of the test set, and one of the time. Values that spread widely have a logarithmic axis.
std::string sweep(const Results& results, const Figure& figure, const FigureResult& measured) {
  std::vector<std::string> metrics = results.recipe.test(figure.test).metrics;
  metrics.emplace_back("seconds");
  std::string html;
  for (const std::string& metric : metrics) {
    const bool is_time = metric == "seconds";
    Chart chart{.title = is_time ? "Time of translation" : metric_name(metric),
                .x_label = figure.x.empty() ? "beam width" : figure.x,
                .y_label = metric_name(metric),
                .series = {}};
    report::Extent extent;
    for (const FigureResult::Row& row : measured.rows) {
      const auto x = number(row.result.at("value"));
      const auto y = is_time ? row.seconds : number(report::object_at(row.result, json_name(metric)), "score");
      if (!x || !y) continue;
      extent.add(*x);
      if (chart.series.empty() || chart.series.back().name != row.title)
        chart.series.push_back({.name = row.title, .points = {}, .best = is_time ? Best::none : best_of(metric)});
      chart.series.back().points.emplace_back(*x, *y);
    }
    if (chart.series.empty()) continue;
    if (extent.low() > 0 && extent.high() >= 8 * extent.low()) chart.x = AxisKind::log2;
    html += draw(chart);
  }
  return html;
}

std::string boxed(const std::string& label, const std::string& drawing) {
  return "<div class='box' role='region' tabindex='0' aria-label='" + label + "'>" + drawing + "</div>";
}

// The beams of the measured sentences.
std::string trees(const FigureResult& measured) {
  std::string html;
  for (const FigureResult::Row& row : measured.rows) {
    const report::BeamTree tree = run::tree_from_json(row.result);
    html += "<p>" + escape(row.title + ": " + tree.title) + "</p>" + boxed("Beam", draw(tree));
  }
  return html;
}

// The maps of one translation: over the source and, if the model attends to it, over the decoder's own past.
std::string maps_of(const Json& line) {
  using Words = std::vector<std::string>;
  using Weights = std::vector<std::vector<float>>;
  const Json& best = line.at("translations").at(0);
  if (!best.contains("attention")) return "";
  const Words output = best.at("tokens").get<Words>(), source = line.at("source_tokens").get<Words>();
  const auto weights = best.at("attention").get<Weights>();
  std::string html = boxed("Attention over the source", draw(report::attention_map(output, source, weights)));
  if (best.contains("past_attention"))
    html += boxed("Attention over the past",
                  draw(report::past_attention_map(output, best.at("past_attention").get<Weights>())));
  return html;
}

// The maps of all systems for one sentence after the other; the first sentence is unfolded.
std::string attention(const FigureResult& measured) {
  std::string html;
  const std::size_t sentences = measured.rows.empty() ? 0 : measured.rows[0].result.size();
  for (std::size_t i = 0; i < sentences; ++i) {
    const Json& first = measured.rows[0].result.at(i);
    html += fmt::format("<details{}><summary>{}</summary><div class='maps'>", i == 0 ? " open" : "",
                        escape(first.at("source").get<std::string>()));
    for (const FigureResult::Row& row : measured.rows)
      html += "<figure><figcaption>" + escape(row.title) + "</figcaption>" + maps_of(row.result.at(i)) + "</figure>";
    html += "</div></details>";
  }
  return html;
}

std::string charts(const std::string& html) { return html.empty() ? "" : "<div class='charts'>" + html + "</div>"; }

}  // namespace

std::string draw_figure(const Results& results, const Figure& figure) {
  if (figure.kind == FigureKind::curves) return charts(curves(results, figure));
  if (figure.kind == FigureKind::bars) return charts(bars(results, figure));
  const auto measured = results.figures.find(figure.name);
  if (measured == results.figures.end()) return "";
  switch (figure.kind) {
    case FigureKind::scaling: return charts(scaling(figure, measured->second));
    case FigureKind::sweep: return charts(sweep(results, figure, measured->second));
    case FigureKind::tree: return trees(measured->second);
    case FigureKind::attention: return attention(measured->second);
    default: return "";
  }
}

}  // namespace dragoman::recipe
